/** Requests of this process that are in flight to one host, over all targets and runs. */
export interface InFlight {
  count: number;
  /** Callbacks that wait for a free place. */
  readonly waiting: Set<() => void>;
}

const byHost = new Map<string, InFlight>();

export const inFlightTo = (origin: string): InFlight => {
  const { hostname } = new URL(origin);
  const known = byHost.get(hostname) ?? { count: 0, waiting: new Set() };
  byHost.set(hostname, known);
  return known;
};
