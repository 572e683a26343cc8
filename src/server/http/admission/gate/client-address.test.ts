import { describe, expect, it } from 'vitest';
import { createClientAddress, isNetwork } from './client-address.ts';

const request = (address: string | undefined, headers: Readonly<Record<string, string>> = {}) => ({
  address,
  header: (name: string) => headers[name],
});
const forwarded = (value: string) => ({ 'x-forwarded-for': value });
const proxy = '10.0.0.1';

describe('the address of a client', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:7:8:9', ''],
    ['1::2::3', ''],
    [':::', ''],
    ['12345::', ''],
    [undefined, ''],
  ])('of a connection from %s is %s', (address, expected) => {
    expect(createClientAddress()(request(address, forwarded('198.51.100.1')))).toBe(expected);
  });

  it.each([
    ['the last one that is not a proxy', '198.51.100.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['one with a port', '203.0.113.9:4711', '203.0.113.9'],
    ['one in brackets', '[2001:db8::1]:4711', '2001:db8:0:0::/64'],
    ['a proxy itself if all are', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['not known if a proxy does not know it', '203.0.113.9, unknown, 10.2.2.2', ''],
    ['not known if it is none', '999.1.1.1', ''],
    ['not known for an empty list', '', ''],
    ['found after any number of forged ones', `${'198.51.100.1, '.repeat(500)}203.0.113.9`, '203.0.113.9'],
  ])('behind a trusted proxy is %s', (_name, value, expected) => {
    expect(createClientAddress(['10.0.0.0/8'])(request(proxy, forwarded(value)))).toBe(expected);
  });

  it.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['for=198.51.100.1, For="[2001:db8::1]:4711";proto=https;by=10.0.0.1', '2001:db8:0:0::/64'],
    ['proto=https;for="203.0.113.9:80"', '203.0.113.9'],
    ['for=_hidden', ''],
    ['by=203.0.113.9', ''],
  ])('is read from Forwarded: %s', (value, expected) => {
    expect(createClientAddress([proxy])(request(proxy, { forwarded: value }))).toBe(expected);
  });

  it.each([
    ['differ', 'for=198.51.100.1'],
    ['differ, as one of them is none', 'x'],
    ['differ, as one of them is empty', ''],
  ])('is not known if the two headers %s: a client may have sent one of them', (_name, standard) => {
    const both = { ...forwarded('203.0.113.9'), forwarded: standard };
    expect(createClientAddress([proxy])(request(proxy, both))).toBe('');
    expect(createClientAddress('*')(request(proxy, both))).toBe('');
  });

  it('is believed if the two headers agree', () => {
    const both = { ...forwarded('203.0.113.9'), forwarded: 'for=203.0.113.9' };
    expect(createClientAddress([proxy])(request(proxy, both))).toBe('203.0.113.9');
  });

  it('is not known if a trusted proxy forwarded none', () => {
    expect(createClientAddress([proxy])(request(proxy))).toBe('');
    expect(createClientAddress('*')(request('192.0.2.1'))).toBe('');
  });

  it('is that of the connection if its sender is not trusted', () => {
    const address = createClientAddress(['10.0.0.0/9', '2001:db8::/33']);
    expect(address(request('10.128.0.1', forwarded('203.0.113.9')))).toBe('10.128.0.1');
    expect(address(request('2001:db8:8000::1', forwarded('203.0.113.9')))).toBe('2001:db8:8000:0::/64');
    expect(address(request('::ffff:10.127.0.1', forwarded('203.0.113.9')))).toBe('203.0.113.9');
    expect(address(request(undefined, forwarded('203.0.113.9')))).toBe('');
  });

  it('is the last one that was forwarded if every sender is trusted, known or not', () => {
    const address = createClientAddress('*');
    expect(address(request(undefined, forwarded('198.51.100.1, 203.0.113.9')))).toBe('203.0.113.9');
  });
});

it.each([
  ['10.0.0.0/8', true],
  ['10.0.0.1', true],
  ['::1', true],
  ['2001:db8::/32', true],
  ['::/0', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/-1', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0', false],
  ['010.0.0.1', false],
  ['proxy.example', false],
  ['', false],
  [7, false],
])('%s is a network: %s', (text, expected) => {
  expect(isNetwork(text)).toBe(expected);
});
