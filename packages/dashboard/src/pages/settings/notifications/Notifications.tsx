import { Section } from '../../../parts/Page.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import { useAddress } from '../address.ts'
import styles from '../settings.module.css'
import { Callbacks } from './Callbacks.tsx'
import { Endpoints } from './Endpoints.tsx'
import { History } from './History.tsx'
import { OneNotification } from './OneNotification.tsx'

/** Where the service posts what happens, and what became of each post. */
export function Notifications() {
  const [{ tab, id }, go] = useAddress('notifications')
  return (
    <Section title="Notifications">
      <p className={styles.why}>
        The service posts events to your own addresses as they happen, signed with a secret of each. It
        follows Standard Webhooks, so any library for that verifies them.
      </p>
      <Tabs
        label="Notifications"
        chosen={tab === 'history' || tab === 'callbacks' ? tab : 'endpoints'}
        onChoose={(chosen) => go(chosen === 'endpoints' ? {} : { tab: chosen })}
        tabs={[
          { id: 'endpoints', name: 'Endpoints', content: <Endpoints /> },
          { id: 'callbacks', name: 'Callbacks', content: <Callbacks /> },
          {
            id: 'history',
            name: 'History',
            content: id === undefined ? <History /> : <OneNotification key={id} id={id} />,
          },
        ]}
      />
    </Section>
  )
}
