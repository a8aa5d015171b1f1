import { isMap, isNode, isSeq, LineCounter, parseDocument, type Document, type ErrorCode, type Tags } from 'yaml';

import { ConfigError, type ConfigProblem } from '../config-error.js';
import type { KeyPath } from '../findings.js';
import { copyOf, isMapping, type Mapping } from '../mapping.js';

/** A configuration as written, and where in its text each key stands. */
export interface ConfigSource {
  readonly name: string;
  readonly content: Mapping;
  /** Line of a key, or of the nearest mapping around it; null when the source has no lines. */
  readonly lineOf: (path: KeyPath) => number | null;
}

/**
 * Parses YAML 1.1, the version that upstream's loader speaks, so that `yes`, `on` and merge keys mean here what they mean
 * there. An empty document is an empty mapping.
 *
 * @throws ConfigError with the line of the first fault, or of each key that is given twice, and without a word of the text itself
 */
export function parseYaml(text: string, name: string): ConfigSource {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
    logLevel: 'error',
    customTags: (tags) => tags.map(narrowed),
  });
  const problems = tellingFaults(document).map(({ code, pos }) => ({
    path: '',
    message: explain(code),
    line: lines.linePos(pos[0]).line,
  }));
  if (problems.length > 0) throw new ConfigError(name, problems);
  return {
    name,
    content: contentOf(document, name),
    lineOf: (path) => lineOf(document, lines, path),
  };
}

/** Behind a fault in the structure, the parser finds more that are none: it does not know where it is any more. */
function tellingFaults({ errors }: Document.Parsed): Document.Parsed['errors'] {
  const fault = errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  return fault === undefined ? errors : [fault];
}

/** YAML 1.1 takes `y` and `n` for booleans, which upstream's loader does not. */
function narrowed(tag: Tags[number]): Tags[number] {
  if (typeof tag !== 'object' || tag.tag !== 'tag:yaml.org,2002:bool' || tag.collection) return tag;
  const test = tag.test?.test('yes') ? /^(?:yes|true|on)$/i : /^(?:no|false|off)$/i;
  return { ...tag, test };
}

/** A configuration given as an object. */
export function objectSource(content: Mapping, name: string): ConfigSource {
  return { name, content: copyOf(content) as Mapping, lineOf: () => null };
}

function contentOf(document: Document.Parsed, name: string): Mapping {
  let content: unknown;
  try {
    content = document.toJS();
  } catch (error) {
    const isUnresolved = (error as Error).message.startsWith('Unresolved alias');
    throw failure(
      name,
      isUnresolved ? 'invalid YAML: an alias refers to no anchor' : 'the file refers to itself too often to be read',
    );
  }
  if (content === null || content === undefined) return {};
  if (!isMapping(content)) throw failure(name, 'the file must be a mapping of keys to values');
  return copyOf(content) as Mapping;
}

function failure(name: string, message: string): ConfigError {
  const problem: ConfigProblem = { path: '', message, line: null };
  return new ConfigError(name, [problem]);
}

// The parser's own messages quote the text, and the text may hold a key.
const EXPLANATIONS: Partial<Record<ErrorCode, string>> = {
  BAD_DQ_ESCAPE: 'a double-quoted string holds an unknown escape sequence',
  BAD_INDENT: 'the indentation does not fit, or a bracket before it is not closed',
  DUPLICATE_KEY: 'a key is given twice',
  MISSING_CHAR: 'a quote, bracket, comma or colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key goes on over several lines',
  MULTIPLE_DOCS: 'the file holds more than one document',
  TAB_AS_INDENT: 'a tab is used for indentation',
  UNEXPECTED_TOKEN: 'something stands where it does not belong',
};

function explain(code: ErrorCode): string {
  const detail = EXPLANATIONS[code] ?? code.toLowerCase().replaceAll('_', ' ');
  return `invalid YAML: ${detail}`;
}

function lineOf(document: Document.Parsed, lines: LineCounter, path: KeyPath): number | null {
  let at: unknown = document.contents;
  let line: number | null = null;
  for (const name of path) {
    const offset = keyOffset(at, name);
    if (offset === null) return line;
    line = lines.linePos(offset).line;
    at = isMap(at) || isSeq(at) ? at.get(nodeKey(at, name), true) : null;
  }
  return line;
}

function keyOffset(node: unknown, name: string): number | null {
  if (isSeq(node)) return offsetOf(node.get(Number(name), true));
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key }) => String(key) === name);
  return pair ? offsetOf(pair.key) : null;
}

function nodeKey(node: unknown, name: string): string | number {
  return isSeq(node) ? Number(name) : name;
}

function offsetOf(node: unknown): number | null {
  return isNode(node) && node.range ? node.range[0] : null;
}
