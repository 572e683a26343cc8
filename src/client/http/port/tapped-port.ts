/** A port whose requests and responses a tap sees, without their bodies: messages are events of their own. */
import type { ReportTap } from '../../../transport/tap.ts';
import { withMembers } from '../../../transport/tapped-transport.ts';
import type { HttpHeaders, HttpPort, HttpReceiver } from './port.ts';

export function tappedPort(port: HttpPort, report: ReportTap): HttpPort {
  let requests = 0;
  return withMembers(port, {
    request: (own) => (sent, receiver) => {
      const { method, headers } = sent;
      const request = ++requests;
      report({ kind: 'http', request, phase: 'request', method, path: sent.address.path, headers: { ...headers } });
      return own(sent, tappedReceiver(receiver, request, report));
    },
  });
}

const tappedReceiver = (receiver: HttpReceiver, request: number, report: ReportTap): HttpReceiver =>
  withMembers(receiver, {
    head: (own) => (status, headers) => {
      report({ kind: 'http', request, phase: 'head', status, headers: textsOf(headers) });
      own(status, headers);
    },
    end: (own) => () => {
      report({ kind: 'http', request, phase: 'end' });
      own();
    },
    broke: (own) => (error) => {
      const text = error instanceof Error ? error.message : String(error);
      report({ kind: 'http', request, phase: 'broke', text });
      own(error);
    },
  });

function textsOf(headers: HttpHeaders): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) texts[name] = typeof value === 'string' ? value : value.join(', ');
  return texts;
}
