interface Event {
  readonly at: number;
  /** Events of one instant happen in the order in which they were planned. */
  readonly order: number;
  readonly happen: () => void;
}

/** Something that takes stock once all events of an instant have happened. */
export interface Settler {
  settle(): void;
}

/** Time that goes from event to event, in milliseconds from 0. */
export class VirtualTime {
  /** A binary heap: no event is before the one at half its index. */
  readonly #heap: Event[] = [];
  readonly #unsettled = new Set<Settler>();
  #planned = 0;
  #now = 0;

  /** The present instant. */
  get now(): number {
    return this.#now;
  }

  /** Plans an event; one in the past happens now. */
  at(time: number, happen: () => void): void {
    const event = { at: Math.max(time, this.#now), order: this.#planned++, happen };
    let index = this.#heap.length;
    while (index > 0) {
      const above = this.#heap[(index - 1) >> 1];
      if (above === undefined || isBefore(above, event)) break;
      this.#heap[index] = above;
      index = (index - 1) >> 1;
    }
    this.#heap[index] = event;
  }

  /** Lets something settle when all events of the present instant have happened; once, however often it is asked for. */
  settleSoon(settler: Settler): void {
    this.#unsettled.add(settler);
  }

  /** Goes on until nothing is planned. */
  run(): void {
    for (let event = this.#next(); event !== null; event = this.#next()) {
      this.#now = event.at;
      event.happen();
    }
  }

  /** The next event of this instant, or when all is settled, the first of the next. */
  #next(): Event | null {
    while (this.#unsettled.size > 0 && this.#heap[0]?.at !== this.#now) {
      const settlers = [...this.#unsettled];
      this.#unsettled.clear();
      for (const settler of settlers) settler.settle();
    }
    return this.#pop();
  }

  #pop(): Event | null {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.#heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(event: Event): void {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, other] = [this.#heap[left], this.#heap[left + 1]];
      const [child, at] =
        other !== undefined && one !== undefined && isBefore(other, one) ? [other, left + 1] : [one, left];
      if (child === undefined || isBefore(event, child)) break;
      this.#heap[index] = child;
      index = at;
    }
    this.#heap[index] = event;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
