/** The filter of the decided approvals, which is part of the address. */

const statuses = ['APPROVED', 'REJECTED', 'EXPIRED', 'SUPERSEDED', 'NOT_NEEDED'] as const

export type ApprovalFilters = { status?: (typeof statuses)[number] }

export const statusChoices = [
  { value: 'APPROVED', text: 'Approved' },
  { value: 'REJECTED', text: 'Rejected' },
  { value: 'EXPIRED', text: 'Expired' },
  { value: 'SUPERSEDED', text: 'Replaced' },
  { value: 'NOT_NEEDED', text: 'Made at once' },
] as const satisfies { value: (typeof statuses)[number]; text: string }[]

/** Reads the filter of an address. An unknown one shows all. */
export function readApprovalFilters({ status }: Record<string, unknown>): ApprovalFilters {
  const known = statuses.find((one) => one === status)
  return known === undefined ? {} : { status: known }
}
