import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { AppError } from '../base/errors.ts'
import { signedRequest } from '../http/authentication.ts'
import { answerEvents } from '../http/paging.ts'
import { EventsOf, errorResponses, Id, IdParameter, PageQuery } from '../http/schemas.ts'
import type { App, Routes } from '../http/types.ts'
import { describeProblems, sentenceOf } from '../http/validation-problems.ts'
import { type StrategyKind, withArticle } from './kinds.ts'
import { presentComplete, readSettings, recordsOf } from './records.ts'
import { savedBy } from './saves.ts'
import { IfMatchHeader, readIfMatch, tagged, tagOf } from './settings-tag.ts'
import type { Strategies } from './strategies.ts'
import {
  presentDiff,
  presentListedVersion,
  presentVersion,
  settingsOf,
  versionRecordsOf,
} from './version-records.ts'
import type { Versions } from './versions.ts'

const VersionParameters = Type.Object({ ...IdParameter.properties, version: Id })

type Parts = { strategies: Strategies; versions: Versions }

/** The routes of the versions of strategies of one kind. */
export function versionRoutes(parts: Parts, kind: StrategyKind): Routes {
  const on = { ...parts, kind, records: versionRecordsOf(kind), tags: [kind.tag] }
  return (scope) => {
    listVersions(scope, on)
    readVersion(scope, on)
    compareVersions(scope, on)
    restoreVersion(scope, on)
  }
}

type On = Parts & { kind: StrategyKind; records: ReturnType<typeof versionRecordsOf>; tags: string[] }

function listVersions(scope: App, { strategies, versions, kind, records, tags }: On): void {
  scope.get(
    `${kind.path}/:id/versions`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `List the versions of ${withArticle(kind.one)}, newest first`,
        description:
          'Each save that changes what runs is a version. The service keeps the latest 100, and older ones that a run or a signal came from.',
        params: IdParameter,
        querystring: Type.Object({
          ...PageQuery.properties,
          before: Type.Optional({ ...Id, description: 'Only versions before this one. Not with `page`.' }),
          after: Type.Optional({
            ...Id,
            description: 'Only versions after this one: without `before`, those next to it. Not with `page`.',
          }),
        }),
        response: { 200: EventsOf(records.Listed), ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id }, query }) => {
      await strategies.need(principal.userId, kind.type, id)
      return answerEvents(query, {
        list: async (window) =>
          (await versions.list(id, window)).map((version) => ({
            id: version.version,
            ...presentListedVersion(version),
          })),
        count: () => versions.count(id),
      })
    },
  )
}

function readVersion(scope: App, { strategies, versions, kind, records, tags }: On): void {
  scope.get(
    `${kind.path}/:id/versions/:version`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Read a version of ${withArticle(kind.one)} with its content`,
        description:
          'With the `version` of a run, it answers the version that the run executed, whose own number can be lower.',
        params: VersionParameters,
        response: { 200: records.Complete, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id, version } }) => {
      await strategies.need(principal.userId, kind.type, id)
      return presentVersion(kind, await versions.get(id, version)) as never
    },
  )
}

function compareVersions(scope: App, { strategies, versions, kind, records, tags }: On): void {
  scope.get(
    `${kind.path}/:id/versions/:version/diff`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Compare two versions of ${withArticle(kind.one)}`,
        description: 'Says what leads from the other version to this one.',
        params: VersionParameters,
        querystring: Type.Object({
          with: Type.Optional({
            ...Id,
            description:
              'The other version. Default: the version before; the first one is compared with itself.',
          }),
        }),
        response: { 200: records.Diff, ...errorResponses(400, 401, 404, 500) },
      },
    },
    async ({ principal, params: { id, version }, query }) => {
      await strategies.need(principal.userId, kind.type, id)
      const to = await versions.get(id, version)
      const other = query.with === undefined ? versions.before(to) : versions.get(id, query.with)
      return presentDiff((await other) ?? to, to)
    },
  )
}

function restoreVersion(scope: App, { strategies, versions, kind, records, tags }: On): void {
  const { Complete, ChangedSettings } = recordsOf(kind)
  scope.post(
    `${kind.path}/:id/versions/:version/restore`,
    {
      schema: {
        tags,
        security: signedRequest,
        summary: `Give ${withArticle(kind.one)} the content of a version again`,
        description: `Saves the content as a new version, which applies from the next run. The current content stays a version too. The name, folder, visibility, status and approvals stay as they are. ${kind.check} So is a version that refers to something that no longer exists; \`fields\` restores the rest of it.`,
        headers: IfMatchHeader,
        params: VersionParameters,
        body: records.Restore,
        response: { 200: tagged(Complete), ...errorResponses(400, 401, 404, 409, 413, 415, 429, 500) },
      },
    },
    async ({ principal, params: { id, version }, body: { fields, reason }, headers }, reply) => {
      await strategies.need(principal.userId, kind.type, id)
      const found = await versions.get(id, version)
      const settings = chosenOf(settingsOf(kind, found), fields as string[] | undefined)
      const problems = describeProblems([...Value.Errors(ChangedSettings, settings)] as never, 'body')
      if (problems[0] !== undefined) {
        throw new AppError('request_invalid', sentenceOf(problems[0]), { details: problems })
      }
      const save = savedBy(principal, reason, readIfMatch(headers['if-match']))
      const changes = readSettings(kind, settings)
      const strategy = await strategies.change(principal.userId, kind.type, id, changes, {
        ...save,
        restoredFrom: found.version,
      })
      reply.header('etag', tagOf(strategy))
      return presentComplete(kind, strategy)
    },
  )
}

function chosenOf(settings: Record<string, unknown>, fields: string[] | undefined) {
  if (fields === undefined) return settings
  return Object.fromEntries(Object.entries(settings).filter(([name]) => fields.includes(name)))
}
