/** The clock of this machine as someone sets it: `Date` shows it, and nothing else does. */
export function settableClock() {
  const Real = Date;
  let ahead = 0;
  class Wall extends Real {
    constructor(...given: readonly unknown[]) {
      super(...((given.length === 0 ? [Wall.now()] : given) as [number]));
    }

    static override now(): number {
      return Real.now() + ahead;
    }
  }
  globalThis.Date = Wall as DateConstructor;
  return {
    set: (ms: number): void => void (ahead = ms),
    jump: (ms: number): void => void (ahead += ms),
    restore: (): void => void (globalThis.Date = Real),
  };
}
