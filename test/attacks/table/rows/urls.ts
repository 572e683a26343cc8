/** Attacks by URLs: a caller lets the server send requests into the network behind it. */
import type { Attack } from '../attack.ts';
import { callTool } from '../messages.ts';

type Row = readonly [id: string, does: string, url: string, because: string, code?: string];

const here = 'has an address of this machine';
const notPublic = 'has an address of a network that is not public';

const rows: readonly Row[] = [
  ['url-01', 'names the loopback address', 'http://127.0.0.1:{port}/', here],
  ['url-02', 'writes it as one decimal number', 'http://2130706433:{port}/', here],
  ['url-03', 'writes it in octal', 'http://0177.0.0.1:{port}/', here],
  ['url-04', 'writes it in hexadecimal', 'http://0x7f000001:{port}/', here],
  ['url-05', 'leaves parts of it out', 'http://127.1:{port}/', here],
  ['url-06', 'names the address of all interfaces', 'http://0.0.0.0:{port}/', here],
  ['url-07', 'writes it in full-width digits', 'http://１２７.０.０.１:{port}/', here],
  ['url-08', 'names the IPv6 loopback address', 'http://[::1]:{port}/', notPublic],
  ['url-09', 'maps it into IPv6', 'http://[::ffff:127.0.0.1]:{port}/', notPublic],
  ['url-10', 'maps it into IPv6, in hexadecimal', 'http://[::ffff:7f00:1]:{port}/', notPublic],
  ['url-11', 'translates it by NAT64', 'http://[64:ff9b::7f00:1]:{port}/', notPublic],
  ['url-12', 'wraps it in 6to4', 'http://[2002:7f00:1::]:{port}/', 'has an address of 6to4'],
  ['url-13', 'wraps it in Teredo', 'http://[2001:0:7f00:1::]/', 'has an address of a special purpose'],
  ['url-14', 'names a private network', 'http://10.0.0.1/', 'has an address of a private network'],
  ['url-15', 'names the metadata service of a cloud', 'http://169.254.169.254/', 'of the link-local network'],
  ['url-16', 'names the metadata service of another cloud', 'http://168.63.129.16/', 'a cloud’s metadata service'],
  ['url-17', 'names the metadata service over IPv6', 'http://[fd00:ec2::254]/', notPublic],
  ['url-18', 'uses a name with a private address', 'http://private.test:{port}/', here],
  ['url-19', 'uses a name with the address of metadata', 'http://metadata.test/', 'of the link-local network'],
  ['url-20', 'uses a name with a public and a private address', 'http://mixed.test:{port}/', 'a private network'],
  ['url-21', 'uses a name with a mapped address', 'http://mapped.test:{port}/', notPublic],
  ['url-22', 'uses a name with the IPv6 loopback address', 'http://local6.test:{port}/', notPublic],
  ['url-23', 'redirects to the loopback address', 'http://public.test:{port}/?to=http://127.0.0.1:{port}/', here],
  [
    'url-24',
    'redirects to a name with a private address',
    'http://public.test:{port}/?to=http://private.test:{port}/',
    here,
  ],
  ['url-25', 'redirects to a file', 'http://public.test:{port}/?to=file:///etc/passwd', 'is not on the allow-list'],
  ['url-26', 'redirects for ever', 'http://public.test:{port}/loop', 'more than 5 times', 'too-many-redirects'],
  [
    'url-27',
    'sends a response without end',
    'http://public.test:{port}/large',
    'more than 1000 bytes',
    'response-too-large',
  ],
  ['url-28', 'names a file', 'file:///etc/passwd', 'is not on the allow-list'],
  ['url-29', 'names another scheme', 'gopher://127.0.0.1:{port}/', 'is not on the allow-list'],
  [
    'url-30',
    'hides the host behind a user name',
    'http://public.test@127.0.0.1:{port}/',
    'holds a user name or password',
  ],
  ['url-31', 'hides the host behind a backslash', 'http:\\\\127.0.0.1:{port}\\@public.test/', here],
  ['url-32', 'names a port of another service', 'http://public.test:22/', 'is not on the allow-list'],
  ['url-33', 'has a line break for another header', 'http://public.test:{port}\r\nX: 1/', 'cannot be parsed'],
];

export const urls: readonly Attack[] = [
  ...rows.map(
    ([id, does, url, because, code = 'url-not-allowed']): Attack => ({
      id,
      attacker: 'a caller',
      does,
      sends: callTool('fetch', { url }),
      gets: { code, because },
      audited: 'call-end',
    }),
  ),
  {
    id: 'url-34',
    attacker: 'a caller',
    does: 'changes the address of a name between the check and the connection',
    sends: callTool('fetch', { url: 'http://rebinding.test:{port}/' }),
    gets: { code: 'served', because: 'a public page' },
    audited: 'call-end',
  },
];
