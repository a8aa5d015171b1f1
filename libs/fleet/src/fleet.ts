import type { GetInfoResponse } from '@roost/protocol';

import { Instance } from './instance.js';

/** How a fleet keeps track of its instances. */
export interface FleetOptions {
  /** Milliseconds between two looks at an instance. */
  readonly pollIntervalMs: number;
  /** Milliseconds within which an instance has to answer. */
  readonly probeTimeoutMs: number;
  /** Says what keeps a worker that says this of itself from being used in this fleet, or null. */
  readonly accept?: (info: GetInfoResponse) => string | null;
  /** Told when an instance begins or ceases to serve. */
  readonly onChange?: (instance: Instance) => void;
}

/** All instances of one role. Each is looked at on its own, so that one that hangs delays no other. */
export class Fleet {
  private readonly byServer: ReadonlyMap<string, Instance>;
  private readonly stopped = new AbortController();
  /** What wakes those who wait for an instance. */
  private readonly waiting = new Set<() => void>();
  private readonly firstLook = Promise.withResolvers<undefined>();

  /** @param servers host:port of each instance */
  constructor(
    readonly role: 'context' | 'generation',
    servers: readonly string[],
    private readonly options: FleetOptions,
  ) {
    const accept = (server: string) => (info: GetInfoResponse) =>
      options.accept?.(info) ?? this.refuseTwin(server, info);
    this.byServer = new Map(servers.map((server) => [server, new Instance(server, accept(server))]));
  }

  get instances(): readonly Instance[] {
    return [...this.byServer.values()];
  }

  get(server: string): Instance | undefined {
    return this.byServer.get(server);
  }

  /** The servers that get no new work. */
  notServing(): Set<string> {
    const servers = new Set<string>();
    for (const { server, serving } of this.byServer.values()) if (!serving) servers.add(server);
    return servers;
  }

  get hasServing(): boolean {
    return this.byServer.values().some(({ serving }) => serving);
  }

  /**
   * Whether an instance serves now, or comes to serve within two pauses between looks at it: whatever has only lost its
   * connections is found again by then. Says so as soon as it is known, and at once when the signal aborts.
   */
  async servesSoon(signal: AbortSignal): Promise<boolean> {
    if (this.hasServing || signal.aborted) return this.hasServing;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const wake = (): void => resolve(undefined);
    const timer = setTimeout(wake, 2 * this.options.pollIntervalMs);
    this.waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    clearTimeout(timer);
    this.waiting.delete(wake);
    signal.removeEventListener('abort', wake);
    return this.hasServing;
  }

  /** Looks at every instance from now on; resolves after the first look at each. */
  start(): Promise<void> {
    void Promise.all(this.instances.map((instance) => this.probe(instance))).then(() => {
      this.firstLook.resolve(undefined);
      for (const instance of this.instances) this.watch(instance);
    });
    return this.firstLook.promise;
  }

  /** An instance has failed a leg in a way that suggests that it is gone: give it no work until it has been looked at. */
  suspect(instance: Instance): void {
    if (!instance.serving) return;
    instance.suspect();
    this.options.onChange?.(instance);
  }

  stop(): void {
    this.stopped.abort();
    for (const wake of this.waiting) wake();
    for (const instance of this.instances) instance.close();
  }

  private watch(instance: Instance): void {
    if (this.stopped.signal.aborted) return;
    const timer = setTimeout(() => {
      void this.probe(instance).then(() => this.watch(instance));
    }, this.options.pollIntervalMs);
    timer.unref();
  }

  /** One worker under two names would get the work of two. */
  private refuseTwin(server: string, info: GetInfoResponse): string | null {
    const twin = this.twinOf(server, info);
    return twin === undefined ? null : `it is the same worker as ${twin.server}`;
  }

  private twinOf(server: string, { incarnation }: GetInfoResponse): Instance | undefined {
    if (incarnation === '') return undefined;
    return this.byServer
      .values()
      .find((other) => other.server !== server && other.serving && other.info?.incarnation === incarnation);
  }

  private async probe(instance: Instance): Promise<void> {
    const { server, serving: before } = instance;
    const info = await instance.probe(this.options.probeTimeoutMs);
    if (this.stopped.signal.aborted) return;
    // Where names have changed hands, it may be the other one that leads astray: it is looked up anew as well.
    if (info !== null && !instance.serving) this.twinOf(server, info)?.doubt();
    if (instance.serving !== before) this.options.onChange?.(instance);
    if (instance.serving) for (const wake of this.waiting) wake();
  }
}
