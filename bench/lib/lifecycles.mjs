/** The two lifecycles for a client without a library: how a connection opens, and the form of its requests. */

const clientInfo = { name: 'bench-driver', version: '1.0.0' };
const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };

/** A handshake first, then calls. */
const session = {
  revision: '2025-11-25',
  handshake: () => {
    const { revision: protocolVersion } = session;
    return request(0, 'initialize', { protocolVersion, capabilities: {}, clientInfo });
  },
  async open(server) {
    const { result } = await server.request(session.handshake());
    // An older revision is fine here: calls and their answers are the same in both.
    if (result?.protocolVersion === undefined) throw new Error(`the handshake got ${JSON.stringify(result)}`);
    server.notify(initialized);
  },
  call: (id, name, given, meta) =>
    request(id, 'tools/call', { name, arguments: given, ...(meta !== undefined && { _meta: meta }) }),
  list: (id) => request(id, 'tools/list', {}),
};

/** Every request has an envelope. */
const exchange = {
  revision: '2026-07-28',
  async open() {},
  call: (id, name, given, meta) =>
    request(id, 'tools/call', { name, arguments: given, _meta: { ...envelope, ...meta } }),
  list: (id) => request(id, 'tools/list', { _meta: envelope }),
};

const envelope = {
  'io.modelcontextprotocol/protocolVersion': exchange.revision,
  'io.modelcontextprotocol/clientInfo': clientInfo,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const lifecycles = { session, exchange };
