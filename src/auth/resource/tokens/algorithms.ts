/** The signature algorithms that are accepted: asymmetric ones only. With a shared secret, the public key could be used as one. */

/** The algorithms of access tokens. */
export const tokenAlgorithms = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** The algorithms of DPoP proofs: every client can have one of these, and each challenge names them. */
export const proofAlgorithms = 'ES256 ES384 ES512 EdDSA Ed25519 PS256 RS256'.split(' ');
