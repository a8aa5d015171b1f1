import type { Findings, KeyPath } from '../findings.js';
import type { WorkerArgs } from '../schema/worker-args.js';

/** Checks what no single key of a worker's arguments shows. `at` is where they stand. */
export function checkWorker(args: WorkerArgs, at: KeyPath, findings: Findings): void {
  checkBalance(args, at, findings);
  const { tokens_per_block, max_tokens } = args.kv_cache_config;
  if (max_tokens < tokens_per_block)
    findings.problem(
      [...at, 'kv_cache_config', 'max_tokens'],
      `max_tokens must be at least tokens_per_block (${String(tokens_per_block)}), got ${String(max_tokens)}`,
    );
  const { enable_balance, kv_cache_routing_conversation_affinity, enable_kv_cache_aware_routing } =
    args.attention_dp_config;
  const shapesRanks = enable_balance || kv_cache_routing_conversation_affinity || enable_kv_cache_aware_routing;
  if (!args.enable_attention_dp && shapesRanks)
    findings.warn(
      `${findings.writtenPath([...at, 'attention_dp_config']).join('.')} has no effect without enable_attention_dp: true`,
    );
}

function checkBalance({ attention_dp_config: config }: WorkerArgs, at: KeyPath, findings: Findings): void {
  if (!config.enable_balance) return;
  for (const name of ['batching_wait_iters', 'timeout_iters'] as const)
    if (config[name] < 0)
      findings.problem(
        [...at, 'attention_dp_config', name],
        `attention_dp_config.${name} must be greater or equal to 0 when enable_balance is true`,
      );
}
