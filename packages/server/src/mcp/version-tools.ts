import { Type } from 'typebox'
import { ToolRefusal } from './api.ts'
import { pageOf, withText } from './results.ts'
import { Id, Kind, kinds, Offset, paging, readingTool, writingTool } from './tool.ts'

const listVersions = readingTool({
  name: 'list_versions',
  description:
    'List the saves that changed what a strategy runs, newest first. With version: its diff with the one before, or with.',
  input: {
    kind: Kind,
    strategy_id: Id,
    version: Type.Optional(Id),
    with: Type.Optional(Id),
    offset: Offset,
    ...paging,
  },
  run: async ({ kind, strategy_id, version, with: other, offset = 0, ...page }, { api }) => {
    if (version === undefined) {
      if (other !== undefined) throw new ToolRefusal('Pass version too: `with` is what it is compared with.')
      return pageOf(
        page,
        (window) => api(`GET ${kinds[kind].path}/{id}/versions?{query}`, strategy_id, window),
        ({ until: _until, ...listed }) => listed,
      )
    }
    const compared = other === undefined ? {} : { with: other }
    const { text, ...beside } = await api(
      `GET ${kinds[kind].path}/{id}/versions/{version}/diff?{query}`,
      strategy_id,
      version,
      compared,
    )
    return withText('text', text, offset, beside)
  },
})

const restoreVersion = writingTool({
  name: 'restore_version',
  description: 'Save the content of a version again; an ACTIVE strategy continues with it.',
  input: { kind: Kind, strategy_id: Id, version: Id, reason: Type.Optional(Type.String()) },
  hints: { destructiveHint: true },
  run: async ({ kind, strategy_id, version, ...why }, { api }) => {
    const path = `POST ${kinds[kind].path}/{id}/versions/{version}/restore {body}` as const
    const { id, name, status, updated_at } = await api(path, strategy_id, version, why)
    return { value: { id, name, status, updated_at } }
  },
})

export const versionTools = [listVersions, restoreVersion]
