//! TLS for shared stores, by `sslmode`.

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::Address;
use super::address::Protection;
use crate::{Error, ErrorKind};

/// What connects with TLS.
pub(super) fn connector(address: &Address) -> Result<MakeRustlsConnect, Error> {
    let failed = |what: String| Error::new(ErrorKind::Usage, format!("TLS to {address}: {what}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let checks = match (address.protection, &address.root) {
        (Protection::Authority, _) | (Protection::Required, Some(_)) => Some(false),
        (Protection::Full, _) => Some(true),
        _ => None,
    };
    let (mut trusted, mut named) = (None, Vec::new());
    if checks.is_some() {
        let mut roots = RootCertStore::empty();
        match &address.root {
            Some(path) => {
                let certificates = CertificateDer::pem_file_iter(path)
                    .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                    .map_err(|e| failed(format!("cannot read {}: {e}", path.display())))?;
                roots.add_parsable_certificates(certificates.iter().cloned());
                named = certificates;
            }
            None => {
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            }
        }
        let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
        trusted = Some(built.map_err(|e| failed(e.to_string()))?);
    }
    let verifier = Verifier { trusted, named, name: checks == Some(true), schemes: provider.clone() };
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| failed(e.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// Checks a certificate as far as `sslmode` wants it.
#[derive(Debug)]
struct Verifier {
    /// Checks that a known authority signed it; `None` to accept any.
    trusted: Option<Arc<WebPkiServerVerifier>>,
    /// The certificates that `sslrootcert` names.
    named: Vec<CertificateDer<'static>>,
    /// Whether it must be for the host.
    name: bool,
    schemes: Arc<rustls::crypto::CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(trusted) = &self.trusted else { return Ok(ServerCertVerified::assertion()) };
        use rustls::Error::InvalidCertificate;
        match trusted.verify_server_cert(end, between, host, ocsp, now) {
            Err(InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.name => Ok(ServerCertVerified::assertion()),
            // A server whose certificate signs itself: it is that of an authority, which a server may not have unless the
            // user named just that one. An expired one has another error.
            Err(InvalidCertificate(CertificateError::Other(_))) if self.named.iter().any(|c| c == end) => {
                if self.name {
                    verify_server_name(&ParsedCertificate::try_from(end)?, host)?;
                }
                Ok(ServerCertVerified::assertion())
            }
            result => result,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.schemes.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.schemes.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.schemes.signature_verification_algorithms.supported_schemes()
    }
}
