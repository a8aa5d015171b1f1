import { Flag, Text, Whole } from '../settings/decorators.js';
import { Group } from '../settings/setting.js';

/** What the engine that runs a real model runs, and with how much. */
@Group({
  title: 'engine.llama_cpp',
  meaning:
    'A real model on this machine, run by llama.cpp. Every rank takes the memory for all of its sequences when it starts; docs/llama-cpp.md does the sum.',
  source: 'ours',
  ignored: [],
})
export class LlamaCppEngineSettings {
  @Text('GGUF file, or the name of a model that `roost model` has put in its folder.')
  readonly model_path: string = 'smollm2-135m';

  @Whole('Longest prompt plus answer of one sequence; no more than the model was trained for counts.', {
    unit: 'tokens',
  })
  readonly context_size: number = 4096;

  @Whole(
    'Sequences of one rank: those at work, those that wait for their handoff, and those kept for reuse. Equal in both fleets.',
    { max: 256 },
  )
  readonly sequences: number = 4;

  @Whole(
    'Tokens that one rank computes in one iteration, at most `max_num_tokens`: the smaller, the sooner others have their turn.',
    {
      unit: 'tokens',
    },
  )
  readonly batch_tokens: number = 128;

  @Whole('Threads that one rank computes with. More than there are free cores makes it many times slower.', {
    max: 1024,
  })
  readonly threads: number = 1;

  @Whole('Layers put on a GPU; 0: the CPU does all.', { min: 0 })
  readonly gpu_layers: number = 0;

  @Flag(
    'Flash attention. Without it a greedy answer does not depend on how its prompt was cut into iterations. Equal in both fleets.',
  )
  readonly flash_attention: boolean = false;

  @Whole('Longest answer to a request that sets no limit.', { unit: 'tokens' })
  readonly default_max_tokens: number = 256;

  @Text('Folder for caches on their way; null: in memory where there is enough, else the folder for temporary files.', {
    nullable: true,
  })
  readonly state_directory: string | null = null;

  @Text('Folder whose `node_modules` has the llama.cpp runtime; null: where `npm run llama:install` puts it.', {
    nullable: true,
  })
  readonly runtime_path: string | null = null;
}
