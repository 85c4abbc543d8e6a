package methods

import "heavytail/storage"

// StartEmbedding returns the name of the embedding to begin with; empty for none.
func (m Configured) StartEmbedding() string {
	name, _ := m.settings[storage.SettingStart].(string)
	return name
}
