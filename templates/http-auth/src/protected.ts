/** The server as an OAuth resource: every request needs a token of the authorization server. */
import { type HttpService, serveHttp } from 'tenon';
import { protect } from 'tenon/auth';
import server from './server.ts';

export interface Protected {
  readonly port: number;
  /** The authorization server, as its tokens name it. */
  readonly issuer: string;
  /** The URL of this server, as clients know it. */
  readonly resource: string;
}

export const serveProtected = ({ port, issuer, resource }: Protected): Promise<HttpService> =>
  serveHttp(server, {
    port,
    closeOnSignals: true,
    authenticate: protect({ issuer, resource, scopes: ['forecast'] }),
  });
