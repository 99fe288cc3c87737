import type { Socket } from 'node:net';

/** Receives the events of a socket. */
export interface SocketListener {
  onData(bytes: Buffer): void;
  /** The peer has closed its side. */
  onEnd(): void;
  onError(error: Error): void;
  onClose(): void;
}

/**
 * Passes the events of a socket to the current listener. Data without a listener closes the
 * connection, since it would be read as the next response.
 */
export class SocketReader {
  readonly socket: Socket;
  #listener: SocketListener | undefined;
  #isSubscribed = false;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  listen(listener: SocketListener): void {
    this.#listener = listener;
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    const { socket } = this;
    socket.on('data', (bytes) => (this.#listener ? this.#listener.onData(bytes) : socket.destroy()));
    socket.on('end', () => (this.#listener ? this.#listener.onEnd() : socket.destroy()));
    socket.on('error', (error) => this.#listener?.onError(error));
    socket.on('close', () => this.#listener?.onClose());
  }

  unlisten(): void {
    this.#listener = undefined;
  }
}
