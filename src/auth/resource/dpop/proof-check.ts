/** Checks the proof of a request against its token: same key, same token, a nonce of ours, and not used before. */
import { TenonError } from '../../../lib/errors/tenon-error.ts';
import type { Principal } from '../../../ports/principal.ts';
import { shareOf } from '../../../ports/share.ts';
import { StoreOfServers } from '../../../server/kernel/store-users.ts';
import { memoryOnce } from '../../../store/memory.ts';
import type { OnceStore } from '../../../store/once-store.ts';
import type { Store } from '../../../store/store.ts';
import { sha256Text } from '../sha256.ts';
import { KnownKeys } from './known-keys.ts';
import { Nonces } from './nonces.ts';
import type { DpopMode, DpopOptions } from './options.ts';
import { normalUrl, type Proof, verifyProof } from './proof.ts';

/** A token that is bound to a key. */
export interface TokenBinding {
  /** The thumbprint of the key. */
  readonly jkt: string;
  /** The hash of the token. */
  readonly ath: string;
}

/** Why a proof is refused, by the error of the challenge. */
export interface ProofProblem {
  readonly error: 'invalid_dpop_proof' | 'invalid_token' | 'use_dpop_nonce';
  readonly reason: string;
}

/** How many used proofs are remembered in memory. */
export interface ProofLimits {
  readonly maxProofs: number;
  readonly maxProofsPerPrincipal: number;
}

type UsedProofs = Pick<OnceStore, 'burn'>;

export class ProofCheck {
  readonly mode: DpopMode;
  readonly nonces: Nonces | undefined;
  readonly #urls: ReadonlySet<string>;
  /** The option, if it is set. */
  readonly #once: UsedProofs | undefined;
  /** For a server without a store. */
  readonly #memory: UsedProofs;
  readonly #store = new StoreOfServers(
    'protect()',
    'Pass the same store to all endpoints of a protect(), or set dpop.once.',
  );
  readonly #keys = new KnownKeys();

  constructor(options: DpopOptions, resource: string, { maxProofs, maxProofsPerPrincipal }: ProofLimits) {
    const { mode = 'required', secrets, nonces = secrets !== undefined, once, urls = [resource] } = options;
    this.mode = mode;
    this.nonces = nonces ? new Nonces(secrets) : undefined;
    this.#urls = new Set(urls.map(normalUrl));
    this.#once = once;
    this.#memory = memoryOnce({ maxKeys: maxProofs, maxKeysPerOwner: maxProofsPerPrincipal });
  }

  /** Used proofs are remembered in the store of the server, unless the option names another. */
  useStore(store: Store): () => void {
    return this.#once === undefined ? this.#store.attach(store) : () => undefined;
  }

  /**
   * What is wrong with the proof, if anything. Its use counts for the principal, which may have any number of keys. Rejects
   * with `store-failed` if the use cannot be stored.
   */
  async check(
    text: string,
    method: string,
    token: TokenBinding,
    principal: Pick<Principal, 'key'>,
  ): Promise<ProofProblem | undefined> {
    const proof = await verifyProof(text, method, this.#urls, this.#keys);
    if ('refused' in proof) return invalid(proof.refused);
    if (proof.jkt !== token.jkt)
      return { error: 'invalid_token', reason: 'The token is bound to another key than that of the DPoP proof' };
    if (proof.ath !== token.ath) return invalid('The DPoP proof is for another token');
    if (this.nonces !== undefined && !(await this.nonces.accepts(proof.nonce)))
      return { error: 'use_dpop_nonce', reason: 'The DPoP proof needs the nonce of the header DPoP-Nonce' };
    return (await this.#isFirstUse(proof, principal)) ? undefined : invalid('The DPoP proof was used before');
  }

  async #isFirstUse({ jkt, jti, expiresAt }: Proof, principal: Pick<Principal, 'key'>): Promise<boolean> {
    // A long one would only fill the store.
    const id = jti.length > maxStoredChars ? `sha256 ${await sha256Text(jti)}` : jti;
    try {
      const once = this.#once ?? this.#store.current?.once ?? this.#memory;
      return await once.burn(`dpop ${jkt} ${id}`, expiresAt, shareOf({ principal }));
    } catch (cause) {
      if (cause instanceof TenonError) throw cause;
      throw new TenonError('store-failed', 'The use of a DPoP proof could not be stored; the request was refused.', {
        cause,
      });
    }
  }
}

/** A UUID has 36. */
const maxStoredChars = 48;

const invalid = (reason: string): ProofProblem => ({ error: 'invalid_dpop_proof', reason });
