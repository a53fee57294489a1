const deadlockDetected = '40P01'

/**
 * Executes a transaction, and executes it again if PostgreSQL ended it because it and another one waited for each other.
 * Of two such transactions, PostgreSQL ends only one, so the other one goes on.
 */
export async function pastDeadlocks<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await transaction()
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      if (cause?.code !== deadlockDetected) throw error
    }
  }
}
