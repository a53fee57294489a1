/** Versions in words. */
import { plainText } from '../../base/text.ts'
import { fieldTexts } from './draft.ts'

type SavedBy = { via: string; api_key_id: number | null; strategy_id: number | null } | null

/** Who saved a version, as far as the service knows. */
export function savedByText(savedBy: SavedBy): string {
  if (savedBy === null) return 'unknown'
  const { via, api_key_id: key, strategy_id: strategy } = savedBy
  const withKey = key === null ? '' : ` with API key ${key}`
  if (via === 'session') return 'a person in a browser'
  if (via === 'key') return `a request${withKey}`
  if (via === 'agent') return `an agent${withKey}`
  if (via === 'strategy') return `strategy ${strategy ?? 'of this account'}${withKey}`
  return via === 'service' ? 'the service' : via
}

/** What a version changed, in the words of the settings. */
export function changedText({
  changed,
  restored_from,
}: {
  changed: readonly string[]
  restored_from: number | null
}): string {
  const fields = changed.map((field) => fieldTexts[field] ?? field).join(', ')
  if (restored_from !== null) return `restored version ${restored_from}${fields === '' ? '' : `: ${fields}`}`
  return fields === '' ? 'first version' : fields
}

/** A version in a list of choices. */
export function versionText({ version, reason }: { version: number; reason: string | null }): string {
  return reason === null || reason === ''
    ? `Version ${version}`
    : `Version ${version}: ${short(plainText(reason))}`
}

function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
