import type { FleetPolicy } from '../policies/policy.js';

import { FleetPlacement, type UnplacedLeg } from './fleet-placement.js';
import { GenerationInstance, type GenerationJob } from './generation-instance.js';
import type { ReplayOptions } from './replay-options.js';
import type { VirtualTime } from './virtual-time.js';

/** An answer to generate from a prompt that is computed elsewhere. */
export type GenerationLeg = UnplacedLeg & Omit<GenerationJob, 'placedBy'>;

/** All generation instances, and the router before them. */
export class GenerationFleet {
  readonly #instances: ReadonlyMap<string, GenerationInstance>;
  readonly #placement: FleetPlacement;

  constructor(policy: FleetPolicy, options: ReplayOptions, time: VirtualTime, tokensPerBlock: number) {
    const { generationInstances, generationRanksPerInstance: ranksPerInstance } = options;
    const servers = Array.from({ length: generationInstances }, (_, index) => `generation-${String(index)}`);
    this.#placement = new FleetPlacement(policy, { servers, ranksPerInstance, tokensPerBlock }, () => time.now);
    const make = (server: string): GenerationInstance =>
      new GenerationInstance(
        options,
        policy.attentionDp,
        time,
        (rank, event) => this.#placement.blockChanged(server, rank, event),
        tokensPerBlock,
      );
    this.#instances = new Map(servers.map((server) => [server, make(server)]));
  }

  /** Places a leg whose context leg has just ended. */
  place(leg: GenerationLeg): void {
    const placed = this.#placement.place(leg);
    const done = (): void => {
      placed.finish();
      leg.done();
    };
    this.#instances.get(placed.server)?.submit({ ...leg, placedBy: placed.placedBy, done });
  }
}
