import type { Client } from './client.ts'
import { expect } from './reaction.ts'

export const path = '/api/v2/deploy'

export type Sent = { kind: string; key: string; settings: object } & Record<string, unknown>

/** Deploys objects, of the project `mine` unless `more` says otherwise. */
export const send = (account: Client, objects: Sent[], more: object = { project: 'mine' }) =>
  account.api('POST', path, { objects, ...more })

/** The same, which must succeed; resolves to what became of the objects. */
export const deploy = async (account: Client, objects: Sent[], more?: object) =>
  (await expect(200, send(account, objects, more))).objects

export const results = (objects: { result: string }[]) => objects.map(({ result }) => result)
