/** DNS lookup, TCP connection and TLS handshake with the host of a URL, one by one. Errors are those of `connect()`. */
import { lookup } from 'node:dns/promises';
import { connect as connectSocket, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { withStep } from '../../../client/connection/failed-step.ts';
import { networkFailure } from '../../../client/http/port/failures.ts';
import { addressOf } from '../../../client/http/port/port.ts';

/**
 * One probe of `tenon doctor`.
 * @limit command line
 * @beyond the step fails
 * @code unreachable
 */
const probeMs = 10_000;

type Probe = (url: URL) => Promise<string>;

const resolve: Probe = (url) =>
  probing(url, async () => {
    const found = await inTime(lookup(hostOf(url), { all: true }));
    return found.map(({ address }) => address).join(', ');
  });

const connect: Probe = (url) =>
  probing(url, async () => {
    const socket = connectSocket({ host: hostOf(url), port: portOf(url) });
    return opened(socket, 'connect', () => `${socket.remoteAddress} port ${socket.remotePort}`);
  });

const tls: Probe = (url) =>
  probing(url, async () => {
    const host = hostOf(url);
    const servername = /^[\d.]+$|:/.test(host) ? undefined : host;
    const socket = connectTls({ host, port: portOf(url), ...(servername !== undefined && { servername }) });
    return opened(socket, 'secureConnect', () => certificateText(socket));
  });

/** The probes, by the step of connecting that each tests. */
export const probes = { resolve, connect, tls } as const;

function certificateText(socket: TLSSocket): string {
  const { issuer, valid_to: until } = socket.getPeerCertificate();
  return `${socket.getProtocol()}, certificate of ${issuer?.O ?? issuer?.CN ?? 'an unnamed issuer'}, valid until ${until}`;
}

async function probing(url: URL, run: () => Promise<string>): Promise<string> {
  try {
    return await run();
  } catch (error) {
    throw withStep(networkFailure(addressOf(url), error, true));
  }
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', describe: () => string): Promise<string> {
  return inTime(
    new Promise<string>((done, fail) => {
      socket.once(event, () => done(describe()));
      socket.once('error', fail);
      socket.once('close', () => fail(new Error('The connection was closed.')));
    }),
  ).finally(() => socket.destroy());
}

async function inTime<T>(promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(Object.assign(new Error('No answer in time.'), { code: 'ETIMEDOUT' })), probeMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));
