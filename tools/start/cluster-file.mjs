/** The cluster file that `npm start` names, and the one for clusters of real models, which take more memory a rank. */
const usual = 'tools/cluster/local.yaml';
const realModel = 'tools/cluster/llama-cpp.yaml';

/** The arguments with the cluster file that fits the engine asked for, unless the user names a file. */
export function withClusterFile(args) {
  const config = args.findLastIndex((arg) => ['-c', '--config'].includes(arg) || arg.startsWith('--config='));
  if (config < 0 || args[config + 1] !== usual || engineOf(args) !== 'llama-cpp') return args;
  return args.with(config + 1, realModel);
}

function engineOf(args) {
  const at = args.findLastIndex((arg) => arg === '--engine' || arg.startsWith('--engine='));
  return args[at] === '--engine' ? args[at + 1] : args[at]?.slice('--engine='.length);
}
