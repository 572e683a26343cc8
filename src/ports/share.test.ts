/** Whose share something counts for. */
import { describe, expect, it } from 'vitest';
import { shareOf } from './share.ts';

describe('a share', () => {
  it('is that of the principal, wherever it calls from [S24]', () => {
    const principal = { key: 'ann' };
    expect(shareOf({ principal, address: '198.51.100.7' })).toBe(shareOf({ principal }));
    expect(shareOf({ principal: { key: 'bob' } })).not.toBe(shareOf({ principal }));
  });

  it('is never that of an address for a principal with such a name [S24]', () => {
    const address = '198.51.100.7';
    for (const key of [address, `address ${address}`, '', 'address '])
      for (const sender of [{ address }, { address: '' }])
        expect(shareOf({ principal: { key } })).not.toBe(shareOf(sender));
  });

  it('is that of the address without a principal, and of the network for IPv6 [S24]', () => {
    expect(shareOf({ address: '198.51.100.7' })).not.toBe(shareOf({ address: '198.51.100.8' }));
    expect(shareOf({ address: '::ffff:198.51.100.7' })).toBe(shareOf({ address: '198.51.100.7' }));
    expect(shareOf({ address: '2001:db8:0:1::1' })).toBe(shareOf({ address: '2001:db8:0:1:ffff::2' }));
    expect(shareOf({ address: '2001:db8:0:1::1' })).not.toBe(shareOf({ address: '2001:db8:0:2::1' }));
  });

  it('is one for all addresses that are not known [S24]', () => {
    for (const address of ['unknown', '_hidden', '999.1.1.1'])
      expect(shareOf({ address })).toBe(shareOf({ address: '' }));
  });

  it('is none where a connection has no addresses: it has one caller [S24]', () => {
    expect(shareOf({})).toBeUndefined();
  });
});
