/** The package as tests import it, except that clients and servers meet over byte streams, as on standard streams. */
import { PassThrough } from 'node:stream';
import type * as Package from 'tenon';
import type { Acceptor, Channel, Client, ConnectOptions, Server } from 'tenon';
import { connect as connectTo } from '../../../../src/client/connect.ts';
import { createPipeChannel } from '../../../../src/node/pipe/pipe-channel.ts';
import { serveStdio } from '../../../../src/node/stdio-server/serve-stdio.ts';

type Tenon = typeof Package;

/** Two ends of a pair of pipes. */
function pipeChannels(): [Channel, Channel] {
  const there = new PassThrough();
  const back = new PassThrough();
  return [
    createPipeChannel({ input: back, output: there, releaseOutput: () => there.end() }),
    createPipeChannel({ input: there, output: back, releaseOutput: () => back.end() }),
  ];
}

/** Serves on one pair of pipes and gives the client's end. */
function served(server: Pick<Server, 'accept'>, strict: boolean): Channel {
  const input = new PassThrough();
  const output = new PassThrough();
  const service = serveStdio(server, { input, output, strict, exit: false, fault: () => {} });
  void service.ended.then(() => output.end());
  return createPipeChannel({ input: output, output: input, releaseOutput: () => input.end() });
}

/** What takes the place of the package: strict on both sides where the test itself does not say. */
export function overPipes(tenon: Tenon, strict: boolean): Tenon {
  const connect = <S>(target: (S & Acceptor) | Channel, options: ConnectOptions = {}): Promise<Client<S>> => {
    const channel = isServer(target) ? served(target, strict) : target;
    return connectTo<S>(channel as S & Channel, { strict, ...options });
  };
  return { ...tenon, connect: connect as Tenon['connect'], memoryChannels: pipeChannels };
}

const isServer = (target: unknown): target is Pick<Server, 'accept'> =>
  typeof target === 'object' && target !== null && 'accept' in target;
