import type { Vault } from '../secrets/vault.ts'

/** The place that a key is sealed for. It cannot be opened for another one, so no other provider ever gets it. */
export type Place = { userId: number; serviceId: number; baseUrl: string | null }

/** The last characters would give too much of a shorter key away. */
const shortestKeyShown = 12

/** Keys name their service by the id that it had before ids moved to 101 and above, so that keys sealed before still open. */
const movedBy = 100

/** @param apiKey `null` if the service needs none */
export function sealKey(vault: Vault, place: Place, apiKey: string | null): Buffer {
  return vault.seal(JSON.stringify({ apiKey }), purpose(place))
}

/** @throws if the key was sealed for another place or with another master key */
export function openKey(vault: Vault, place: Place, sealed: Buffer): string | null {
  const { apiKey } = JSON.parse(vault.open(sealed, purpose(place)).toString()) as { apiKey: string | null }
  return apiKey
}

/** The last four characters of a key, so that its owner recognises it; `null` if they must not be shown. */
export function keyEnding(apiKey: string | null): string | null {
  return apiKey === null || apiKey.length < shortestKeyShown ? null : apiKey.slice(-4)
}

function purpose({ userId, serviceId, baseUrl }: Place): string {
  return `ai_connection ${userId} ${serviceId - movedBy} ${baseUrl ?? ''}`
}
