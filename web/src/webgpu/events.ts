// What the browser has to say later. The engine hears of it only when it asks.

export class Events {
  readonly #ready: (() => void)[] = [];
  #wake: (() => void)[] = [];

  /** Once the promise is settled, `tell` is called in the engine's next look. */
  when<T>(
    promise: Promise<T>,
    tell: (value: T | undefined, error: Error | undefined) => void,
  ): void {
    promise.then(
      (value) => this.add(() => tell(value, undefined)),
      (error) => this.add(() => tell(undefined, error as Error)),
    );
  }

  add(event: () => void): void {
    this.#ready.push(event);
    this.wake();
  }

  deliver(): void {
    for (const event of this.#ready.splice(0)) event();
  }

  /** Resolves when there is something to hear, or after a while: the engine counts its time-outs. */
  async changed(): Promise<void> {
    if (this.#ready.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1000);
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  wake(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}
