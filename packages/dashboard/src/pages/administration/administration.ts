import { queryOptions } from '@tanstack/react-query'
import { eachOf, type Invitation, type User } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { reportIntervalMs } from './system.ts'

/** No event tells of users and invitations. */
const refetchInterval = 30_000

export const usersQuery = queryOptions({
  queryKey: ['users', 'all'],
  queryFn: async (): Promise<User[]> => {
    const users: User[] = []
    for await (const user of eachOf(client.users.list)) users.push(user)
    return users.sort((one, other) => one.email.localeCompare(other.email))
  },
  refetchInterval,
})

export const invitationsQuery = queryOptions({
  queryKey: ['users', 'invitations'],
  queryFn: async (): Promise<Invitation[]> => {
    const invitations: Invitation[] = []
    for await (const invitation of eachOf(client.users.invitations.list)) invitations.push(invitation)
    return invitations.sort((one, other) => other.id - one.id)
  },
  refetchInterval,
})

export const exchangesQuery = queryOptions({
  queryKey: ['exchanges', 'all'],
  queryFn: () => client.exchanges.list(),
})

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: () => client.system.get(),
  refetchInterval: reportIntervalMs,
  staleTime: 0,
  gcTime: 0,
})
