import path from 'node:path';

/**
 * Everything that a document says of the repository and that can be looked up there. Each rule gives a line and a message
 * for what is not so.
 *
 * @typedef {object} Repository
 * @property {(file: string) => boolean} exists whether there is a file or folder; paths are relative to the top
 * @property {(file: string) => string} read the text of a file
 * @property {(file: string) => Set<string>} anchorsOf the anchors of a Markdown file
 * @property {ReadonlySet<string>} scripts the scripts of package.json
 * @property {object} configSchema the JSON schema of the configuration
 */

/** All rules over one document. */
export function problemsOf(file, document, repository) {
  return [brokenLinks, missingPaths, unknownScripts, unknownConfigKeys, staleQuotes].flatMap((rule) =>
    rule(file, document, repository),
  );
}

/** Relative links lead to files that are there, and their anchors to headings. */
function brokenLinks(file, { links, anchors }, repository) {
  return links.flatMap(({ target, line }) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target)) return [];
    const [place, anchor] = target.split('#');
    const linked = place === '' ? file : path.posix.join(path.posix.dirname(file), place);
    if (!repository.exists(linked)) return [{ line, message: `link to ${target}: there is no ${linked}` }];
    if (anchor === undefined || !linked.endsWith('.md')) return [];
    const known = place === '' ? anchors : repository.anchorsOf(linked);
    return known.has(anchor) ? [] : [{ line, message: `link to ${target}: ${linked} has no such heading` }];
  });
}

const REPOSITORY_PATH = /^(?:\.ci|apps|docs|libs|tools)\/[\w./@-]+$/;

/** Paths of the repository in backticks are there. */
function missingPaths(_file, { codeSpans }, repository) {
  return codeSpans.flatMap(({ text, line }) =>
    REPOSITORY_PATH.test(text) && !text.split('/').includes('dist') && !repository.exists(text)
      ? [{ line, message: `there is no ${text}` }]
      : [],
  );
}

/** Whatever is to be run with npm is a script of package.json. */
function unknownScripts(_file, { codeSpans, fences }, { scripts }) {
  const texts = [...codeSpans, ...fences.flatMap(linesOf)];
  return texts.flatMap(({ text, line }) =>
    [...text.matchAll(/\bnpm (?:(?:-s )?run (?:-s )?|(?=start\b|test\b))([\w:-]+)/g)]
      .filter(([, name]) => !scripts.has(name))
      .map(([, name]) => ({ line, message: `package.json has no script ${name}` })),
  );
}

const linesOf = (fence) => fence.lines.map((text, index) => ({ text, line: fence.line + 1 + index }));

const DOTTED = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;
const FILE_NAME = /\.(?:[cm]?[jt]s|json|ya?ml|md|sh|proto|svg|lock|npmrc|run)$/;
/** Dotted names that are not keys of the configuration, by what they begin with. */
const OTHER_NAMES = ['conversation_params', 'disaggregated_params', 'grpc', 'nx', 'roost', 'stream_options', 'usage'];

/** Dotted keys in backticks, and `ROOST_` variables, name settings that there are. */
function unknownConfigKeys(_file, { codeSpans }, { configSchema }) {
  return codeSpans.flatMap(({ text, line }) => {
    const key = dottedKeyOf(text);
    if (key === null || isSetting(configSchema, key)) return [];
    return [{ line, message: `${text} is no key of the configuration` }];
  });
}

function dottedKeyOf(text) {
  const variable = /^ROOST_([A-Z0-9_]+)$/.exec(text);
  if (variable !== null && variable[1].includes('__')) return variable[1].toLowerCase().split('__');
  if (!DOTTED.test(text) || FILE_NAME.test(text)) return null;
  const parts = text.split('.');
  return OTHER_NAMES.includes(parts[0]) ? null : parts;
}

function isSetting(schema, key) {
  return Object.values(schema.$defs).some((definition) => leadsThrough(schema, definition, key));
}

function leadsThrough(schema, definition, [name, ...rest]) {
  const { properties, type } = resolve(schema, definition);
  // A mapping whose keys are somebody else's may hold any.
  if (properties === undefined) return [type].flat().includes('object');
  if (!Object.hasOwn(properties, name)) return false;
  if (rest.length === 0) return true;
  return [properties[name], ...(properties[name].anyOf ?? [])].some((each) => leadsThrough(schema, each, rest));
}

function resolve(schema, definition) {
  const name = definition?.$ref?.split('/').at(-1);
  return name === undefined ? definition : schema.$defs[name];
}

/** A block that names its file (```ts file=PATH) is a part of that file, to the letter. */
function staleQuotes(_file, { fences }, repository) {
  return fences.flatMap(({ info, line, lines }) => {
    const quoted = /\bfile=(\S+)/.exec(info)?.[1];
    if (quoted === undefined) return [];
    if (!repository.exists(quoted)) return [{ line, message: `quotes ${quoted}, which is not there` }];
    return repository.read(quoted).includes(lines.join('\n'))
      ? []
      : [{ line, message: `quotes ${quoted}, which says something else` }];
  });
}
