import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { jest } from '@jest/globals';
import { eventually } from '@roost/testing';

import { type App, AppProcess, type Exit, type LogLine } from './app-process.js';
import { edgeFile, workerFile, type WorkerPlan } from './cluster-files.js';
import { type ClusterInfo, type Counters, countersOf, NOTHING_HELD } from './cluster-info.js';
import { freePorts } from './free-ports.js';
import { PRIVATE_KEY, PRIVATE_TEXT } from './private-text.js';
import { mergeSettings, type Settings } from './settings.js';
import { WorkerClient } from './worker-client.js';

/** What a cluster under test is made of. */
export interface ClusterOptions {
  /** Started as `context-0`, `context-1`, ... Default 1. */
  readonly contextWorkers?: number;
  /** Started as `generation-0`, `generation-1`, ... Default 1. */
  readonly generationWorkers?: number;
  /** Of every worker. Default 1. */
  readonly ranks?: number;
  /** Shared by all; null: no authentication and no sub-agent affinity. */
  readonly key?: string | null;
  /** Over the edge's file. */
  readonly edge?: Settings;
  /** Over every worker's file. */
  readonly worker?: Settings;
  readonly context?: Settings;
  readonly generation?: Settings;
  /** Workers that no edge knows of, by name. */
  readonly strangers?: Readonly<Record<string, { readonly role: WorkerPlan['role']; readonly settings?: Settings }>>;
  /** Addresses of context and generation workers that are already there; the edge uses these only. */
  readonly servers?: { readonly context: readonly string[]; readonly generation: readonly string[] };
  /** Matches the errors that processes may log; by default they may log none. */
  readonly expectedErrors?: RegExp;
}

// Real processes share the machine with whatever else runs there.
jest.setTimeout(30_000);

/** A process that takes longer to end is killed, and complained about. */
const STOP_LIMIT_MS = 12_000;

interface Startable {
  readonly app: App;
  readonly file: string;
  readonly address: string;
}

/** Real processes on loopback: workers, and one edge or more in front of them. */
export class Cluster {
  private readonly startable = new Map<string, Startable>();
  private readonly processes = new Map<string, AppProcess>();
  private readonly past: AppProcess[] = [];
  private readonly clients = new Map<string, WorkerClient>();

  private constructor(
    private readonly directory: string,
    private readonly options: ClusterOptions,
  ) {}

  /** Starts everything; resolves when the edge serves and sees every worker serve. */
  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const cluster = new Cluster(await mkdtemp(path.join(os.tmpdir(), 'roost-e2e-')), options);
    try {
      await cluster.startAll();
    } catch (error) {
      await cluster.abandon();
      throw error;
    }
    return cluster;
  }

  /** Of the first edge, `http://host:port`. */
  get url(): string {
    return `http://${this.addressOf('edge')}`;
  }

  /** `host:port` of a process. */
  addressOf(name: string): string {
    const found = this.startable.get(name);
    if (found === undefined) throw new Error(`no process is called ${name}`);
    return found.address;
  }

  /** The name of the process at an address. */
  nameOf(address: string): string {
    for (const [name, found] of this.startable) if (found.address === address) return name;
    throw new Error(`no process has the address ${address}`);
  }

  /** Starts one more edge over the same workers, with a file of its own; gives its url. */
  async addEdge(name: string, settings: Settings, key = this.key): Promise<string> {
    const [port = 0] = await freePorts(1);
    const file = edgeFile(port, this.servers(), key, mergeSettings(this.options.edge ?? {}, settings));
    await this.prepare(name, 'edge', port, file);
    await this.startEdge(name);
    return `http://${this.addressOf(name)}`;
  }

  /** A gRPC client of a worker. */
  worker(name: string): WorkerClient {
    const client = this.clients.get(name) ?? new WorkerClient(this.addressOf(name));
    this.clients.set(name, client);
    return client;
  }

  process(name: string): AppProcess {
    const found = this.processes.get(name);
    if (found === undefined) throw new Error(`no process is called ${name}`);
    return found;
  }

  /** Sends a signal; resolves when the process has ended, where the signal ends it. */
  async kill(name: string, signal: NodeJS.Signals): Promise<Exit> {
    this.process(name).signal(signal);
    return await this.process(name).exited;
  }

  /** Starts a process again that has ended, on the same file and port; resolves when it serves, and the edge knows. */
  async restart(name: string): Promise<void> {
    this.past.push(this.process(name));
    if (this.startable.get(name)?.app === 'edge') {
      await this.startEdge(name);
      return;
    }
    this.spawn(name);
    await this.process(name).until(async () => {
      const info = await this.clusterInfo();
      return [...info.context_servers, ...info.generation_servers].some(
        ({ server, serving }) => serving && server === this.addressOf(name),
      );
    });
  }

  /** The JSON lines that a process has logged, those of its earlier lives included. */
  logs(name: string): readonly LogLine[] {
    const earlier = this.past.filter((process) => process.name === name);
    return [...earlier, this.process(name)].flatMap(({ logs }) => logs);
  }

  async clusterInfo(url = this.url): Promise<ClusterInfo> {
    const response = await fetch(`${url}/cluster_info`);
    return (await response.json()) as ClusterInfo;
  }

  async counters(url = this.url): Promise<Counters> {
    return countersOf(await this.clusterInfo(url));
  }

  /**
   * Waits until nothing is held anywhere.
   *
   * @throws Error that names what is held still after `withinMs`
   */
  async settled(url = this.url, withinMs = 15_000): Promise<void> {
    let last: Counters = NOTHING_HELD;
    const nothingHeld = async (): Promise<boolean> => {
      last = await this.counters(url);
      return Object.values(last).every((count) => count === 0);
    };
    await eventually(nothingHeld, withinMs).catch((cause: unknown) => {
      throw new Error(`still held: ${JSON.stringify(last)}`, { cause });
    });
  }

  /**
   * Waits until nothing is held anywhere that these edges know of, and ends everything, also where something is held still:
   * a test run waits for processes that it has started.
   *
   * @throws Error as {@link settled} and {@link stop} do
   */
  async settleAndStop(urls: readonly string[] = [this.url]): Promise<void> {
    await Promise.all(urls.map((url) => this.settled(url))).finally(() => this.stop());
  }

  /**
   * Ends everything in order, edges first.
   *
   * @throws Error when a process does not end cleanly, has logged an error that it did not expect, or has logged a prompt or
   *   the key
   */
  async stop(): Promise<void> {
    try {
      const running = [...this.processes.values()].filter((process) => process.running);
      const [edges, workers] = [running.filter(isEdge), running.filter((process) => !isEdge(process))];
      const complaints = [...(await endAll(edges)), ...(await endAll(workers))];
      for (const process of [...this.past, ...this.processes.values()]) {
        complaints.push(...leaksOf(process, this.options.expectedErrors));
      }
      if (complaints.length > 0) throw new Error(complaints.join('\n'));
    } finally {
      await this.abandon();
    }
  }

  private get key(): string | null {
    return this.options.key === undefined ? PRIVATE_KEY : this.options.key;
  }

  private async startAll(): Promise<void> {
    const plans = this.plans();
    const [edgePort = 0, ...ports] = await freePorts(plans.length + 1);
    for (const [index, plan] of plans.entries()) {
      const port = ports[index] ?? 0;
      const app = plan.role === 'CONTEXT' ? 'context-worker' : 'generation-worker';
      await this.prepare(plan.name, app, port, workerFile({ ...plan, port }, this.options.ranks ?? 1, this.key));
      this.spawn(plan.name);
    }
    await this.prepare('edge', 'edge', edgePort, edgeFile(edgePort, this.servers(), this.key, this.options.edge ?? {}));
    await this.startEdge('edge');
    for (const name of Object.keys(this.options.strangers ?? {})) {
      await this.process(name).until(async () => (await this.worker(name).info()).numRanks > 0);
    }
  }

  private plans(): Omit<WorkerPlan, 'port'>[] {
    const { contextWorkers = 1, generationWorkers = 1, worker = {}, context = {}, generation = {} } = this.options;
    const { strangers = {}, servers } = this.options;
    const fleet = (phase: string, count: number, role: WorkerPlan['role'], own: Settings): Omit<WorkerPlan, 'port'>[] =>
      Array.from({ length: servers === undefined ? count : 0 }, (_, index) => ({
        name: `${phase}-${String(index)}`,
        role,
        settings: mergeSettings(worker, own),
      }));
    return [
      ...fleet('context', contextWorkers, 'CONTEXT', context),
      ...fleet('generation', generationWorkers, contextWorkers === 0 ? null : 'GENERATION', generation),
      ...Object.entries(strangers).map(([name, { role, settings = {} }]) => ({
        name,
        role,
        settings: mergeSettings(worker, settings),
      })),
    ];
  }

  private servers(): { context: readonly string[]; generation: readonly string[] } {
    const of = (phase: string): string[] =>
      [...this.startable].flatMap(([name, { address }]) => (name.startsWith(`${phase}-`) ? [address] : []));
    return this.options.servers ?? { context: of('context'), generation: of('generation') };
  }

  private async prepare(name: string, app: App, port: number, settings: Settings): Promise<void> {
    const file = path.join(this.directory, `${name}.yaml`);
    await writeFile(file, JSON.stringify(settings));
    this.startable.set(name, { app, file, address: `127.0.0.1:${String(port)}` });
  }

  private spawn(name: string): void {
    const found = this.startable.get(name);
    if (found !== undefined) this.processes.set(name, new AppProcess(name, found.app, found.file));
  }

  private async startEdge(name: string): Promise<void> {
    this.spawn(name);
    await this.process(name).until(async () => {
      const dead = [...this.processes.values()].find(({ running }) => !running);
      if (dead !== undefined) throw new Error(`${dead.name} is not running:\n${dead.text}`);
      const info = await this.clusterInfo(`http://${this.addressOf(name)}`);
      return [...info.context_servers, ...info.generation_servers].every(({ serving }) => serving);
    });
  }

  private async abandon(): Promise<void> {
    for (const client of this.clients.values()) client.close();
    const running = [...this.processes.values()].filter((process) => process.running);
    for (const process of running) process.signal('SIGKILL');
    await Promise.all(running.map((process) => process.exited));
    await rm(this.directory, { recursive: true, force: true });
  }
}

function isEdge({ name }: AppProcess): boolean {
  return name.startsWith('edge');
}

async function endAll(processes: readonly AppProcess[]): Promise<string[]> {
  for (const process of processes) process.signal('SIGTERM');
  const overdue = setTimeout(() => {
    for (const process of processes) process.signal('SIGKILL');
  }, STOP_LIMIT_MS);
  const exits = await Promise.all(processes.map((process) => process.exited));
  clearTimeout(overdue);
  return exits.flatMap(({ code, signal }, index) =>
    code === 0 ? [] : [`${processes[index]?.name ?? ''} ended with code ${String(code)}, signal ${String(signal)}`],
  );
}

function leaksOf({ name, text, logs }: AppProcess, expectedErrors = /(?!)/): string[] {
  const errors = logs.filter(({ level }) => level === 'error' || level === 'fatal');
  const unexpected = errors.map((line) => JSON.stringify(line)).filter((line) => !expectedErrors.test(line));
  return [
    ...(text.includes(PRIVATE_TEXT) ? [`${name} has logged a prompt`] : []),
    ...(text.includes(PRIVATE_KEY) ? [`${name} has logged the key`] : []),
    ...unexpected.map((line) => `${name} has logged an error: ${line}`),
  ];
}
