/** The streams of one session that are written or read at this endpoint. */
import { storeFailed } from '../session-record.ts';
import { Stream } from './stream.ts';
import type { StreamPorts, StreamRequests, StreamWriter } from './stream-ports.ts';

export class Streams {
  readonly #ports: StreamPorts;
  readonly #streams = new Map<string, Stream>();
  #closed = false;
  #storing: Promise<unknown> | undefined;

  constructor(ports: Omit<StreamPorts, 'forget' | 'storeFailed'>) {
    this.#ports = {
      ...ports,
      forget: (stream) => void this.#streams.delete(stream.name),
      storeFailed: (cause) => ports.sinks.warn(storeFailed(cause)),
    };
  }

  /** How many are read here and written elsewhere. */
  get writtenElsewhere(): number {
    let count = 0;
    for (const stream of this.#streams.values()) if (stream.isWrittenElsewhere) count++;
    return count;
  }

  /** A new stream that is written here alone, with the responses to requests. `note` is stored with its first event. */
  begin(note: string | undefined, requests: StreamRequests): Stream {
    return this.#add(this.#ports.newName(), 'here', note, requests);
  }

  /** Those that are read here and written by other nodes. */
  *followed(): Iterable<Stream> {
    for (const stream of this.#streams.values()) if (stream.writerElsewhere !== undefined) yield stream;
  }

  /** The stream of a name, if it is written or read here. */
  get(name: string): Stream | undefined {
    return this.#streams.get(name);
  }

  open(name: string, writer: StreamWriter): Stream {
    return this.#streams.get(name) ?? this.#add(name, writer);
  }

  /** Messages of other endpoints may have been lost. */
  missed(): void {
    for (const stream of this.#streams.values()) stream.missed();
  }

  /** Once closed: resolves when what was written before that is stored. */
  stored(): Promise<unknown> | undefined {
    return this.#storing;
  }

  /** Disconnects all clients; nothing more is written. */
  close(): void {
    this.#closed = true;
    this.#storing = Promise.all([...this.#streams.values()].map((stream) => stream.stored()));
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
  }

  #add(name: string, writer: StreamWriter, note?: string, requests?: StreamRequests): Stream {
    const stream = new Stream(this.#ports, name, writer, note, requests);
    if (this.#closed) stream.close();
    else this.#streams.set(name, stream);
    return stream;
  }
}
