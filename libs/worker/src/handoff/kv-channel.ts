import type { KvTransferServiceClient } from '@roost/protocol';

/** A channel to a context worker, which may be given up while calls are under way: it is closed when the last has ended. */
export class KvChannel {
  private calls = 0;
  private unwanted = false;

  constructor(readonly client: KvTransferServiceClient) {}

  /** Takes note of a call. Each is told of once to {@link end}. */
  begin(): void {
    this.calls += 1;
  }

  end(): void {
    this.calls -= 1;
    this.closeIfDone();
  }

  /** Says that no further call will begin. */
  giveUp(): void {
    this.unwanted = true;
    this.closeIfDone();
  }

  private closeIfDone(): void {
    if (this.unwanted && this.calls === 0) this.client.close();
  }
}
