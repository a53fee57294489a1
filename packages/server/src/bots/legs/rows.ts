/** The statuses of a leg that rests, or may rest, at the exchange. */
export const liveLegStatuses = ['PLANNED', 'UNKNOWN', 'OPEN'] as const
