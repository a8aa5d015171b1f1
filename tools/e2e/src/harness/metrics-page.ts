/** What one process showed at `/metrics` at one moment. */
export class MetricsPage {
  private constructor(readonly text: string) {}

  /** Reads the page of a process; `url` is where its HTTP server is, `http://host:port`. */
  static async of(url: string): Promise<MetricsPage> {
    const response = await fetch(`${url}/metrics`);
    if (response.status !== 200) throw new Error(`${url}/metrics answers ${String(response.status)}`);
    return new MetricsPage(await response.text());
  }

  /** Names of all metrics on the page. */
  get names(): string[] {
    return [...this.text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  }

  /** The sum of a metric's series that have these labels; null when there is none. */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number | null {
    let sum: number | null = null;
    for (const line of this.text.split('\n')) {
      const [, found, told = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (found !== name || !hasAll(told, labels)) continue;
      sum = (sum ?? 0) + Number(value);
    }
    return sum;
  }
}

function hasAll(told: string, labels: Readonly<Record<string, string>>): boolean {
  return Object.entries(labels).every(([name, value]) => told.split(',').includes(`${name}="${value}"`));
}
