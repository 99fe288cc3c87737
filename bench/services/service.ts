import type { ChildProcess } from 'node:child_process';

/** Where a service keeps what it installs and what it stores; emptied data, kept installs. */
export interface Folders {
  /** Kept between runs: virtual environments, `node_modules`. */
  readonly install: string;
  /** Made anew for each run. */
  readonly data: string;
}

/** A service that listens and holds data. */
export interface Seeded {
  /** `http://127.0.0.1:PORT`; a proxy speaks TLS in front of it. */
  readonly origin: string;
  /** Path below the origin that the paths of the document begin at; none when absent. */
  readonly basePath?: string;
  /** Its OpenAPI document, as the service gives it. */
  readonly document: string;
  /** Settings of the run that hold its keys: `API_KEY`, `API_KEY_BEARER`. */
  readonly keys: Readonly<Record<string, string>>;
}

export interface Service {
  readonly name: string;
  /** The package and its version, as its registry knows it. */
  readonly from: string;
  /** Installs it where that was not done before. */
  install(folders: Folders): Promise<void>;
  /**
   * Starts it on a free port and gives it data. `started` is told of every process, so that each
   * can be ended.
   */
  serve(folders: Folders, started: (child: ChildProcess) => void): Promise<Seeded>;
}
