import { Type } from 'typebox'
import { ToolRefusal } from './api.ts'
import { Kind, kinds, readingTool } from './tool.ts'

const checkCode = readingTool({
  name: 'check_code',
  description: 'List why save_strategy would refuse this code or prompt, with remedies.',
  input: {
    kind: Kind,
    code: Type.Optional(Type.String()),
    prompt: Type.Optional(Type.String()),
  },
  foreign: false,
  run: async ({ kind, code, prompt }, { api }) => {
    const { path, text } = kinds[kind]
    const given = { code, prompt }[text]
    if (given === undefined || (code !== undefined && prompt !== undefined)) {
      throw new ToolRefusal(`Pass ${text}, and nothing else, to check a ${kind}.`)
    }
    if (path === kinds.ai_reaction.path || path === kinds.ai_session.path)
      return { value: await api(`POST ${path}/check {body}`, { prompt: given }) }
    return { value: await api(`POST ${path}/check {body}`, { code: given }) }
  },
})

const previewSchedule = readingTool({
  name: 'preview_schedule',
  description: 'Show the next times of a cron_interval.',
  input: {
    cron_interval: Type.String(),
    timezone: Type.Optional(Type.String()),
    count: Type.Optional(Type.Integer()),
  },
  foreign: false,
  run: async (query, { api }) => ({ value: await api('GET /api/v2/schedule/preview?{query}', query) }),
})

const search = readingTool({
  name: 'search',
  description: 'Find anything of yours by name or id.',
  input: { q: Type.String({ maxLength: 100 }) },
  run: async ({ q }, { api }) => ({ value: await api('GET /api/v2/search?{query}', { q }) }),
})

export const checkingTools = [checkCode, previewSchedule, search]
