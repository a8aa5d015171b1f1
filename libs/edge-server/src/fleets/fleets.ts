import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { ClusterConfig } from '@roost/config';
import type { Instance, KvFollower } from '@roost/fleet';
import { RouterRegistry } from '@roost/fleet-router';

import { CLUSTER_CONFIG } from '../config-token.js';

import { AgreedFormat } from './agreed-format.js';
import { tokenUseOf } from './block-agreement.js';
import { makeRoutedFleet } from './make-routed-fleet.js';
import type { RoutedFleet } from './routed-fleet.js';

/** The fleets behind this edge. Without context workers, generation workers serve requests whole. */
@Injectable()
export class Fleets implements OnApplicationBootstrap {
  private readonly logger = new Logger(Fleets.name);
  private readonly followers: KvFollower[] = [];
  private readonly agreed: AgreedFormat | null;
  private routedContext: RoutedFleet | null = null;
  private routedGeneration: RoutedFleet | null = null;

  constructor(
    @Inject(CLUSTER_CONFIG) private readonly config: ClusterConfig,
    private readonly routers: RouterRegistry,
  ) {
    const { context_servers: context, generation_servers: generation } = config;
    const sections = [context !== null && context.num_instances > 0 ? context : null, generation];
    const byTokens = sections.some((section) => section !== null && tokenUseOf(section) !== null);
    this.agreed = byTokens ? new AgreedFormat(() => this.servingFormats()) : null;
  }

  /**
   * Makes the routers - after every module has had its chance to register a type - and takes a first look at the instances.
   *
   * @throws Error that names the fleet whose router cannot be made, or the instance that does not fit its fleet
   */
  async onApplicationBootstrap(): Promise<void> {
    const { context_servers, generation_servers, subagent_affinity_scope: scope } = this.config;
    const affinity = Boolean(this.config.conversation_affinity_header_for_subagents);
    if (context_servers !== null && context_servers.num_instances > 0) {
      this.routedContext = this.make('context', affinity);
    }
    if (generation_servers === null) throw new Error('generation_servers is missing');
    this.routedGeneration = this.make('generation', affinity && scope === 'both');
    await Promise.all(this.all.map(({ fleet }) => fleet.start()));
    this.requireFit();
    for (const follower of this.followers) void follower.run();
  }

  /** Closes the channels to the workers; nothing can be served any more. */
  close(): void {
    for (const follower of this.followers) follower.stop();
    for (const { fleet } of this.all) fleet.stop();
  }

  get context(): RoutedFleet | null {
    return this.routedContext;
  }

  get generation(): RoutedFleet {
    if (this.routedGeneration === null) throw new Error('the fleets are made when the application starts');
    return this.routedGeneration;
  }

  /** Each fleet that is there. */
  get all(): readonly RoutedFleet[] {
    return this.routedContext === null ? [this.generation] : [this.routedContext, this.generation];
  }

  /** Whether every fleet that a request needs has an instance that serves. */
  get ready(): boolean {
    return this.all.every(({ fleet }) => fleet.hasServing);
  }

  /** The longest context of any instance, in tokens; Infinity while none is known. */
  get maxSeqLen(): number {
    const infos = this.all.flatMap(({ fleet }) => fleet.instances.map(({ info }) => info));
    const known = infos.flatMap((info) => (info === null ? [] : [info.maxSeqLen]));
    return known.length === 0 ? Infinity : Math.max(...known);
  }

  /** Block sizes that prompts have to be hashed for; null when no router places by tokens. */
  get blockSizes(): readonly number[] | null {
    const byTokens = this.all.filter(({ tokensFor }) => tokensFor !== null);
    if (byTokens.length === 0) return null;
    return [...new Set(byTokens.flatMap(({ blockSize }) => (blockSize === null ? [] : [blockSize])))];
  }

  /** How the workers tokenise prompts; null where no router places by tokens, or while no worker is known. */
  get promptFormat(): string | null {
    return this.agreed?.name ?? null;
  }

  /** The instances that can be asked for a prompt's tokens: those that serve in fleets that are placed by tokens. */
  get tokenizers(): readonly Instance[] {
    const byTokens = this.all.filter(({ tokensFor }) => tokensFor !== null);
    return byTokens.flatMap(({ fleet }) => fleet.instances.filter(({ serving }) => serving));
  }

  private servingFormats(): string[] {
    const serving = this.all.flatMap(({ fleet }) => fleet.instances.filter((instance) => instance.serving));
    return serving.flatMap(({ info }) => (info === null ? [] : [info.promptFormat]));
  }

  private make(role: 'context' | 'generation', affinity: boolean): RoutedFleet {
    const section = role === 'context' ? this.config.context_servers : this.config.generation_servers;
    if (section === null) throw new Error(`${role}_servers is missing`);
    const { routers, logger, agreed } = this;
    const { routed, followers } = makeRoutedFleet(role, section, this.config, { affinity, routers, logger, agreed });
    this.followers.push(...followers);
    return routed;
  }

  private requireFit(): void {
    for (const { fleet } of this.all) {
      for (const { server, mismatch } of fleet.instances) {
        if (mismatch !== null) throw new Error(`${fleet.role} instance ${server} cannot be used: ${mismatch}`);
      }
    }
  }
}
