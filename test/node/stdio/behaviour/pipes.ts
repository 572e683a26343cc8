/** The package as tests import it, but clients and servers connect over byte streams, as on standard streams. */
import { PassThrough } from 'node:stream';
import type * as Package from 'tenon';
import type { Client, ConnectOptions, Server } from 'tenon';
import type { ServerLike } from 'tenon/client';
import type { Transport } from 'tenon/transport';
import { connect as connectTo } from '../../../../src/client/connect.ts';
import { createPipeTransport } from '../../../../src/node/pipe/pipe-transport.ts';
import { serveStdio } from '../../../../src/node/stdio-server/serve-stdio.ts';

type Tenon = typeof Package;

/** Two ends of a pair of pipes. */
export function pipeTransports(): [Transport, Transport] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [
    createPipeTransport({ input: back, output: there, releaseOutput: () => there.end() }),
    createPipeTransport({ input: there, output: back, releaseOutput: () => back.end() }),
  ];
}

/** Serves on one pair of pipes and returns the client's end. */
function served(server: Pick<Server, 'accept'>, strict: boolean): Transport {
  const input = new PassThrough();
  const output = new PassThrough();
  const own = server as Parameters<typeof serveStdio>[0];
  const service = serveStdio(own, { stdin: input, stdout: output, strict, exitOnClose: false, onWarning: () => {} });
  void service.closed.then(() => output.end());
  return createPipeTransport({ input: output, output: input, releaseOutput: () => input.end() });
}

/** Replaces the package: `isStrict` applies to both sides unless the test sets `strict`. */
export function overPipes(tenon: Tenon, isStrict: () => boolean): Tenon {
  const connect = <S>(target: (S & ServerLike) | Transport, options: ConnectOptions = {}): Promise<Client<S>> => {
    const strict = isStrict();
    const transport = isServer(target) ? served(target, strict) : target;
    return connectTo<S>(transport as S & Transport, { strict, ...options });
  };
  return { ...tenon, connect: connect as Tenon['connect'] };
}

const isServer = (target: unknown): target is Pick<Server, 'accept'> =>
  typeof target === 'object' && target !== null && 'accept' in target;
