/** The rooms of the larger folders of src: which room, or file beside the rooms, may import which. */

/**
 * For each folder its entries from the lowest tier to the highest: subfolders, and the files that stand beside them. An
 * entry may import every entry of a lower tier, and none of its own tier or above.
 */
export const rooms: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'src/server': [
    ['ports'],
    ['definition'],
    ['checks'],
    ['server-requests'],
    ['features'],
    ['registry'],
    ['kernel'],
    ['lifecycle'],
    ['transport'],
    ['internals'],
    ['http'],
    ['options'],
    ['server'],
    ['index'],
  ],
  'src/server/http': [
    ['message', 'endpoint-life'],
    ['reporting'],
    ['admission'],
    ['options'],
    ['admit', 'reply'],
    ['session'],
    ['post'],
    ['endpoint'],
    ['options-check', 'fetch-responder'],
    ['fetch', 'sse'],
  ],
  'src/client': [
    ['content', 'retry', 'answers'],
    ['api'],
    ['connection'],
    ['reconnect'],
    ['calls'],
    ['changes'],
    ['cache'],
    ['features'],
    ['client-core'],
    ['http'],
    ['connect'],
    ['index'],
  ],
  'src/node': [
    ['process'],
    ['stores'],
    ['pipe'],
    ['child', 'http-client', 'http-server', 'stdio-server', 'credentials', 'sign-in'],
    ['connect', 'skills', 'guard'],
    ['host', 'index'],
  ],
  'src/auth': [['secure-url'], ['resource', 'client', 'given-credentials'], ['index']],
  'src/auth/client': [
    ['steps', 'sign-in', 'scopes', 'records', 'time-limit'],
    ['guarded-fetch'],
    ['discovery'],
    ['registration'],
    ['tokens'],
    ['grants'],
    ['options'],
    ['flows'],
    ['servers'],
    ['oauth'],
  ],
  'src/dev-auth': [
    ['oidc-provider.d', 'loopback', 'events', 'quirks', 'memory-adapter'],
    ['options', 'pages'],
    ['clients', 'resource-servers'],
    ['grants', 'configuration'],
    ['responses'],
    ['start'],
    ['index'],
  ],
  'src/guard': [['policy', 'audit', 'lock', 'limits'], ['server'], ['index']],
  'src/guard/policy': [
    ['limits', 'rule', 'matching'],
    ['conditions'],
    ['document', 'decision', 'evaluation'],
    ['recent-decisions'],
    ['explain'],
    ['policy'],
    ['policy-tests', 'decision-record'],
    ['replay'],
  ],
  'src/guard/lock': [['definitions', 'differences'], ['document'], ['compare'], ['lock']],
  'src/guard/limits': [['rate'], ['options'], ['claims', 'refusals', 'timed-store'], ['held-leases'], ['limits']],
  'src/node/guard': [['audit', 'policy', 'lock'], ['guard'], ['index']],
  'src/hygiene': [['paths', 'urls', 'command-arguments', 'sql'], ['mask-secrets'], ['index']],
  'src/host': [
    ['with-timeout', 'permissions'],
    ['requests'],
    ['servers'],
    ['lock'],
    ['lists'],
    ['options', 'options-check', 'api'],
    ['calls', 'server-set'],
    ['host'],
    ['create'],
    ['index'],
  ],
  'src/json-schema': [['limits', 'budget'], ['analysis'], ['compiler', 'validation'], ['json-schema'], ['index']],
};

/** The most entries of a folder, tests beside files not counted. */
export const maxEntries = 14;

/** Folders whose many files are one flat list by nature. */
export const flatFolders: readonly string[] = ['src', 'src/protocol', 'src/jsonrpc'];

/** A file of fewer lines that only holds a type belongs into the one file beside it that uses it. */
export const leastTypeLines = 25;
