import type { Socket } from 'node:net';

/** Who hears of what comes over a connection. */
export interface SocketListener {
  onData(bytes: Buffer): void;
  /** The other side has ended its own. */
  onEnd(): void;
  onError(error: Error): void;
  onClose(): void;
}

/**
 * A socket whose events go to whoever asked last. What comes while nobody waits for an answer ends
 * the connection: it would be read as the answer to the next request.
 */
export class SocketReader {
  readonly socket: Socket;
  #listener: SocketListener | undefined;
  #heard = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    if (this.#heard) return;
    this.#heard = true;
    const { socket } = this;
    socket.on('data', (bytes) => (this.#listener ? this.#listener.onData(bytes) : socket.destroy()));
    socket.on('end', () => (this.#listener ? this.#listener.onEnd() : socket.destroy()));
    socket.on('error', (error) => this.#listener?.onError(error));
    socket.on('close', () => this.#listener?.onClose());
  }

  /** Nobody waits any more. */
  unlisten(): void {
    this.#listener = undefined;
  }
}
