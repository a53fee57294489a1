import { useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from '../../../data/queries.ts'
import { Facts } from '../../../parts/Facts.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Time } from '../../../parts/Values.tsx'
import styles from '../settings.module.css'

/** What the service knows the user by. */
export function AboutYou() {
  const { data: me } = useSuspenseQuery(meQuery)
  return (
    <Section title="You">
      <Facts
        facts={[
          ['Your number', me.id],
          ['Role', me.role === 'admin' ? 'Administrator' : 'User'],
          ['Since', <Time key="since" at={me.created_at} />],
        ]}
      />
      <p className={styles.why}>
        Tell your number to users who want to share a webhook with you. It gives access to nothing.
      </p>
    </Section>
  )
}
