/** The place of a server that is not live. */
export const NO_PLACE = -1;

/** One life of a server in a fleet; a server that is removed and added again is another object. */
export class Server {
  /** Its place in its pool, by the order of adding; the pool's own. */
  place = NO_PLACE;
  #load = 0;

  /** `onLoad` is told of every change of the load. */
  constructor(
    readonly name: string,
    private readonly onLoad: (server: Server) => void,
  ) {}

  /** Load in flight, in the unit of the router that keeps it. */
  get load(): number {
    return this.#load;
  }

  /** Adds to the load, or with a negative weight takes from it. */
  add(weight: number): void {
    this.#load += weight;
    this.onLoad(this);
  }
}
