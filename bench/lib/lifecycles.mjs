/** The two lifecycles as a client without a library speaks them: how a conversation opens, and what requests look like. */

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
    const { result } = await server.ask(session.handshake());
    // An older revision is as good here: calls and their answers look the same in both.
    if (result?.protocolVersion === undefined) throw new Error(`the handshake gave ${JSON.stringify(result)}`);
    server.tell(initialized);
  },
  call: (id, name, given, meta) =>
    request(id, 'tools/call', { name, arguments: given, ...(meta !== undefined && { _meta: meta }) }),
  list: (id) => request(id, 'tools/list', {}),
};

/** Every request carries its envelope. */
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
