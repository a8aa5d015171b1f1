/** A line of a child's output: a log entry when it is one JSON object with a level and a message, else plain text. */
export type LogLine =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'entry';
      readonly level: string;
      readonly message: string;
      /** ISO 8601; empty when the entry has none. */
      readonly time: string;
      /** Everything else that the entry says. */
      readonly fields: Readonly<Record<string, unknown>>;
    };

/** Reads one line; whatever is not a log entry is text. */
export function parseLogLine(line: string): LogLine {
  const entry = line.startsWith('{') ? parseObject(line) : undefined;
  if (typeof entry?.['level'] !== 'string') return { kind: 'text', text: line };
  const { level, msg, time, ...fields } = entry;
  return {
    kind: 'entry',
    level,
    message: typeof msg === 'string' ? msg : '',
    time: typeof time === 'string' ? time : '',
    fields,
  };
}

/** What a line tells a person in a few words; empty for one that tells nothing, such as a line of a stack. */
export function messageOfLine(line: string): string {
  const parsed = parseLogLine(line);
  if (parsed.kind === 'entry') return parsed.message;
  return noise.test(parsed.text) ? '' : parsed.text.trim();
}

// What Node.js prints around the message of an error that nobody caught.
const noise = /^(\s|\W*$|Node\.js v|file:\/\/)/;

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
