import type { users } from '../db/schema.ts'

/** A user as stored. Never show it as a whole. */
export type StoredUser = typeof users.$inferSelect
export type User = Omit<StoredUser, 'passwordHash'>
export type UserRole = User['role']
export type UserStatus = User['status']

/** In practice, no two addresses differ only in case. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}
