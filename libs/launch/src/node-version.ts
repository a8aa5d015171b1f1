/** The least Node.js that an app runs on, as `engines` of the workspace says. */
const LEAST_MAJOR = 24;
const LEAST_MINOR = 9;

/** Ends this process with one message on standard error, and status 1, where its Node.js is too old for Roost. */
export function requireNode(name: string): void {
  const complaint = complaintAboutNode(process.versions.node);
  if (complaint === null) return;
  process.stderr.write(`${name}: ${complaint}\n`);
  process.exit(1);
}

/** What to tell whoever starts an app with this version of Node.js; null when the app runs on it. */
export function complaintAboutNode(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST_MAJOR || (major === LEAST_MAJOR && minor >= LEAST_MINOR)) return null;
  const least = `${String(LEAST_MAJOR)}.${String(LEAST_MINOR)}`;
  return `Node.js ${least} or later is needed, this is ${version}; \`npx node\` in the workspace is the one that it brings`;
}
