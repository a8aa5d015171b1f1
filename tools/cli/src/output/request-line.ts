type Fields = Readonly<Record<string, unknown>>;

/** Whether the fields of a log entry are those of a request that was served: the edge logs one such entry for each. */
export function isRequestEntry(fields: Fields): boolean {
  return fields['request_id'] !== undefined && fields['outcome'] !== undefined;
}

/**
 * A served request in one short line: how it ended, whose it was, where its legs ran, its tokens and its times. What the
 * entry does not tell is left out.
 */
export function requestLine(fields: Fields): string {
  const of = (text: (value: string) => string, name: string): string => part(fields[name], text);
  return [
    `${show(fields['endpoint'])} ${show(fields['outcome'])}`,
    of((error) => JSON.stringify(error), 'error'),
    of((server) => `failed on ${server}`, 'failed_on'),
    of((id) => id, 'conversation_id'),
    of((id) => `parent ${id}`, 'subagent_affinity_id'),
    leg('context', fields['context']),
    leg('generation', fields['generation']),
    of((count) => `prompt ${count}`, 'prompt_tokens') + of((count) => ` (${count} cached)`, 'cached_tokens'),
    of((count) => `answer ${count}`, 'completion_tokens'),
    of((time) => `first token ${time} ms`, 'ttft_ms'),
    of((time) => `total ${time} ms`, 'total_ms'),
    of((id) => `id ${id}`, 'request_id'),
  ]
    .filter((each) => each !== '')
    .join(' | ');
}

function leg(name: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return '';
  const fields = value as Fields;
  const attempts = Number(fields['attempts'] ?? 1);
  return [
    name,
    show(fields['instance']) + part(fields['rank'], (rank) => `#${rank}`),
    part(fields['decision'], (decision) => decision),
    attempts > 1 ? `(${String(attempts)} attempts)` : '',
  ]
    .filter((each) => each !== '')
    .join(' ');
}

function part(value: unknown, text: (value: string) => string): string {
  return value === undefined || value === null ? '' : text(show(value));
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? '-');
}
