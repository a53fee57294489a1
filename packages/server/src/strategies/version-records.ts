/** How the API shows the versions of each kind. */
import { type TProperties, Type } from 'typebox'
import { orNull } from './fields.ts'
import type { StrategyKind } from './kinds.ts'
import { Reason, settable, Timestamp } from './records.ts'
import { isUnversioned } from './settings-tag.ts'
import { differences, presentSavedBy, textName, unifiedDiff } from './version-content.ts'
import type { ListedVersion, Version } from './versions.ts'

export const SavedBy = Type.Object({
  via: Type.String({
    description:
      '`session`: a person in a browser; `key`: a signed request; `agent`: a tool of an agent, with this API key; `strategy`: the code of a strategy, with this API key; `service`: the service itself.',
  }),
  api_key_id: orNull(Type.Integer()),
  strategy_id: orNull(Type.Integer({ description: 'The strategy whose code saved it; 0: a test run.' })),
})

export type VersionRecords = ReturnType<typeof versionRecordsOf>

/** The schemas of the versions of one kind. */
export function versionRecordsOf(kind: StrategyKind) {
  const settings = versionedOf(kind)
  const names = Object.keys(settings)
  const listed = {
    version: Type.Integer({ description: 'The version of the strategy right after the save.' }),
    until: orNull(
      Type.Integer({
        description:
          'The next version; null for the current one. Runs whose `version` is from `version` to before `until` executed this one.',
      }),
    ),
    changed: Type.Array(Type.String(), {
      description: 'The fields in which it differs from the version before.',
    }),
    saved_at: Timestamp,
    saved_by: orNull(SavedBy),
    reason: orNull(Type.String({ description: 'Given with the save.' })),
    restored_from: orNull(Type.Integer({ description: 'The version whose content it has again.' })),
  }
  return {
    Listed: Type.Object(listed),
    Complete: Type.Object({
      ...listed,
      settings: Type.Partial(Type.Object(settings), {
        description: `What it executes: ${names.join(', ')}. A PUT accepts it.`,
      }),
    }),
    Diff: Type.Object({
      from: Type.Integer({ description: 'The version that it is compared with.' }),
      to: Type.Integer(),
      text: Type.String({
        description: `The changes of the ${textName(kind.type)} as a unified diff with three lines of context; empty if there are none.`,
      }),
      whole: Type.Boolean({
        description: 'Whether the texts differ so much that the diff simply replaces all lines.',
      }),
      settings: Type.Array(Type.Object({ field: Type.String(), from: Type.Unknown(), to: Type.Unknown() }), {
        description: 'Each other field that differs, with both values.',
      }),
    }),
    Restore: Type.Object(
      {
        fields: Type.Optional(
          Type.Array(Type.Union(names.map((name) => Type.Literal(name))), {
            minItems: 1,
            maxItems: names.length,
            uniqueItems: true,
            description: 'The fields to restore. Default: all.',
          }),
        ),
        reason: Reason,
      },
      { examples: [{ fields: [textName(kind.type)], reason: 'It traded too often' }] },
    ),
  }
}

/** The settings that a version has, under their names in the API. */
function versionedOf(kind: StrategyKind): TProperties {
  const all: TProperties = { ...kind.text, ...settable, ...kind.fields }
  return Object.fromEntries(Object.entries(all).filter(([name]) => !isUnversioned(name)))
}

export function presentListedVersion(version: ListedVersion) {
  return {
    version: version.version,
    until: version.until,
    changed: version.changed,
    saved_at: version.savedAt.toISOString(),
    saved_by: presentSavedBy(version),
    reason: version.reason,
    restored_from: version.restoredFrom,
  }
}

export function presentVersion(kind: StrategyKind, version: Version) {
  return { ...presentListedVersion(version), settings: settingsOf(kind, version) }
}

/** The content of a version, as the body of a request. */
export function settingsOf(kind: StrategyKind, { text, settings }: Version): Record<string, unknown> {
  return { [textName(kind.type)]: text, ...settings }
}

export function presentDiff(from: Version, to: Version) {
  return {
    ...{ from: from.version, to: to.version },
    ...unifiedDiff(from, to),
    settings: differences(from, to),
  }
}
