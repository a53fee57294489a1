import { and, eq } from 'drizzle-orm'
import { AppError, type ErrorDetail } from '../base/errors.ts'
import type { Db } from '../db/database.ts'
import { llmSettings, strategies, strategyVersions } from '../db/schema.ts'
import { savedVersion } from './rows.ts'
import { type IfMatch, matches, tagOf, unversioned, versionOf } from './settings-tag.ts'
import { differences, presentSavedBy, textName } from './version-content.ts'
import { currentVersion, type Version } from './versions.ts'

/**
 * Checks the condition of a save. The transaction has to hold the strategy: then only one of two saves with the same
 * condition can meet it.
 * @throws {AppError} 409 if the settings have changed, with the current version and what differs
 */
export async function demandMatch(tx: Db, id: number, ifMatch: IfMatch): Promise<void> {
  if (ifMatch === '*') return
  // The row that was locked may be newer than what was read with it.
  const [now] = await tx
    .select({
      type: strategies.type,
      name: strategies.name,
      folderId: strategies.folderId,
      isPublic: strategies.isPublic,
      savedVersion,
      llm: {
        needsApproval: llmSettings.needsApproval,
        approvalMinutes: llmSettings.approvalMinutes,
        tools: llmSettings.tools,
        sendEmail: llmSettings.sendEmail,
        mayChange: llmSettings.mayChange,
        changeNeedsApproval: llmSettings.changeNeedsApproval,
      },
    })
    .from(strategies)
    .leftJoin(llmSettings, eq(llmSettings.strategyId, strategies.id))
    .where(eq(strategies.id, id))
  if (matches(ifMatch, now!)) return
  const current = await currentVersion(tx, id)
  const known = Math.max(...ifMatch.tags.map((tag) => versionOf(tag) ?? 0))
  const [theirs] = await tx
    .select()
    .from(strategyVersions)
    .where(and(eq(strategyVersions.strategyId, id), eq(strategyVersions.version, known)))
  throw new AppError(
    'resource_conflict',
    `Nothing was saved: the settings have changed. The current version is ${current.version}, saved at ${current.savedAt.toISOString()}.`,
    {
      details: [describeCurrent(current, tagOf(now!)), ...changesSince(theirs, current, textName(now!.type))],
    },
  )
}

function describeCurrent(current: Version, etag: string): ErrorDetail {
  return {
    field: 'headers.if-match',
    message: `is not the tag of the current settings, which is ${etag}; weak tags never match`,
    etag,
    version: current.version,
    saved_at: current.savedAt.toISOString(),
    saved_by: presentSavedBy(current),
    reason: current.reason,
  }
}

function changesSince(theirs: Version | undefined, current: Version, text: string): ErrorDetail[] {
  if (theirs === undefined) return [{ message: 'no stored version has this tag, so what differs is unknown' }]
  if (theirs.version === current.version) {
    return [{ message: `one of these has changed: ${unversioned.join(', ')}` }]
  }
  const fields: ErrorDetail[] = differences(theirs, current).map(({ field, from, to }) => ({
    field: `body.${field}`,
    message: `has changed since version ${theirs.version}`,
    ...{ from, to },
  }))
  if (theirs.text !== current.text) {
    fields.unshift({ field: `body.${text}`, message: `has changed since version ${theirs.version}` })
  }
  if (fields.length > 0) return fields
  return [{ message: `version ${current.version} has the content of version ${theirs.version} again` }]
}
