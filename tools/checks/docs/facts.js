/** Facts that a document must tell in full, as the code has them. Each rule gives messages for what is missing or wrong. */

/** The table of errors: a row `| \`code\` | status | \`type\` | yes or no | ...` for each, and no other. */
export function errorTable(text, errors) {
  const rows = new Map(
    [...text.matchAll(/^\|\s*`(\w+)`\s*\|\s*(\d{3})\s*\|\s*`(\w+)`\s*\|\s*(yes|no)\s*\|/gm)].map(
      ([, code, status, type, retried]) => [code, `${status} ${type} ${retried}`],
    ),
  );
  const missing = Object.entries(errors).flatMap(([code, { http, type, retryable }]) => {
    const expected = `${http} ${type} ${retryable ? 'yes' : 'no'}`;
    const found = rows.get(code);
    return found === expected ? [] : [`error ${code}: expected a row with ${expected}, found ${found ?? 'none'}`];
  });
  const unknown = [...rows.keys()].filter((code) => !Object.hasOwn(errors, code));
  return [...missing, ...unknown.map((code) => `error ${code}: there is none in the code`)];
}

/** Every route of the OpenAPI document has a heading or a row that names it. */
export function routes(text, paths) {
  return Object.keys(paths)
    .filter((route) => !text.includes(`\`${route}\``) && !new RegExp(`\\b(?:GET|POST) ${route}\``).test(text))
    .map((route) => `route ${route} is not described`);
}

/** The session headers stand in a numbered list, in the order in which they are looked at. */
export function sessionHeaders(text, headers) {
  const listed = [...text.matchAll(/^\d+\. `(x-[\w-]+)`/gm)].map(([, name]) => name);
  return listed.join() === headers.join()
    ? []
    : [`the session headers are ${headers.join(', ')}; the list says ${listed.join(', ')}`];
}

/** Every project of the workspace is named as a word of its own. */
export function projects(text, names) {
  return names
    .filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(text))
    .map((name) => `project ${name} is not named`);
}

/** Every service and every method of the .proto is named. */
export function services(text, proto) {
  const names = [...proto.matchAll(/^\s*(?:service|rpc) (\w+)/gm)].map(([, name]) => name);
  return names.filter((name) => !text.includes(`\`${name}\``)).map((name) => `${name} of the .proto is not described`);
}
