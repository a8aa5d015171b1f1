// Copies what one app runs on out of a built workspace: the compiled JavaScript
// and the manifest of the app and of every workspace package it depends on.
//
// usage: node collect-app.mjs APP_FOLDER TARGET_FOLDER
import { cp, readFile, realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import process from 'node:process';

const [app, target] = process.argv.slice(2);
if (app === undefined || target === undefined) {
  console.error('usage: node collect-app.mjs APP_FOLDER TARGET_FOLDER');
  process.exit(2);
}

const readManifest = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

const { name: ownName } = await readManifest('.');
const scope = `${ownName.split('/')[0]}/`;

// npm links every workspace package of ours under the scope that we all share.
const collected = new Set();
const collect = async (folder) => {
  if (collected.has(folder)) return;
  collected.add(folder);
  const { dependencies = {} } = await readManifest(folder);
  for (const name of Object.keys(dependencies)) {
    if (name.startsWith(scope)) {
      const linked = await realpath(join('node_modules', name));
      await collect(relative(process.cwd(), linked));
    }
  }
};
await collect(app);

for (const folder of collected) {
  await cp(join(folder, 'package.json'), join(target, folder, 'package.json'));
  await cp(join(folder, 'dist'), join(target, folder, 'dist'), {
    recursive: true,
    filter: (path) => !/\.(d\.ts|map|tsbuildinfo)$/.test(path),
  });
}
console.log(`${app}: ${[...collected].join(' ')}`);
