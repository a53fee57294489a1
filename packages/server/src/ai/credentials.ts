import type { Vault } from '../secrets/vault.ts'

/** Where a key belongs: in any other place it does not open, and so is never sent to another provider. */
export type Place = { userId: number; serviceId: number; baseUrl: string | null }

/** Shorter keys would be told by their last characters. */
const shortestKeyShown = 12

/** @param apiKey `null` where the service needs none */
export function sealKey(vault: Vault, place: Place, apiKey: string | null): Buffer {
  return vault.seal(JSON.stringify({ apiKey }), purpose(place))
}

/** @throws when it was sealed for another place, or under another master key */
export function openKey(vault: Vault, place: Place, sealed: Buffer): string | null {
  const { apiKey } = JSON.parse(vault.open(sealed, purpose(place)).toString()) as { apiKey: string | null }
  return apiKey
}

/** The last four characters of a key, by which its owner knows it again; `null` where there are none to show. */
export function keyEnding(apiKey: string | null): string | null {
  return apiKey === null || apiKey.length < shortestKeyShown ? null : apiKey.slice(-4)
}

function purpose({ userId, serviceId, baseUrl }: Place): string {
  return `ai_connection ${userId} ${serviceId} ${baseUrl ?? ''}`
}
