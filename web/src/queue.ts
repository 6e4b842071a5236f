// Calls that come at the same time are done one after the other.

export class Queue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all that was added before is done, whatever came of it. */
  add<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => {});
    return next;
  }
}
